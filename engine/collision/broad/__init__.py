"""The broad phase: whose swept boxes meet."""
