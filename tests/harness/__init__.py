"""The servers, sessions and random queries that the tests share."""
