"""A primary, its standby, a pooler, partitions and three shards: questions work there as on one server."""
