"""Values: frozen, free of effects, importing nothing of ours."""
