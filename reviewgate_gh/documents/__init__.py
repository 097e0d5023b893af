"""What reviewers are told, as data: a file is a template, its name is its id."""
