"""The `review-gate` contract that the gate serves: spawn a review, wait for its answer."""
