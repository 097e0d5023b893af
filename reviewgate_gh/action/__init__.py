"""The GitHub Action: the gate as a step of a workflow."""
