"""Verbs for people: init, doctor, demo, fix, backtest, history, config, waive, findings, trust."""
