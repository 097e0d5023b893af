"""Language models: which are asked, what they are shown, how their answers are read and
verified."""
