"""The layouts of data sets, one per module: `recognises` a data set, and `read` its cases."""
