"""What may execute or loosen the gate in this clone: approvals by content."""
