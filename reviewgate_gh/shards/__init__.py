"""One review on several machines: the plan, what one of them asks, and all answers together."""
