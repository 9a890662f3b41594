"""Asks a primary, its standby, a pooler and shards; see tools/fleet.

    fleet.py MODEL_URL FOLDER SHARD1 SHARD2 SHARD3 short|full [PART…]

PGHOST is FOLDER, with an empty database fleet. Without parts all are checked; promotion goes with standby. Prints
a line per check and `N passed, N failed`. Times are printed, not judged.
"""

from __future__ import annotations

import sys
import time

import fleet_partitions
import fleet_poolers
import fleet_shards
import fleet_standby
import fleet_waits
from checks import Checks
from fleet_servers import Fleet
from scripted import Script


def prepare(fleet: Fleet) -> None:
    fleet.model.reset()
    fleet.primary().query(f"""
        CREATE EXTENSION pg_trgm; CREATE EXTENSION text2sql;
        CREATE SERVER model FOREIGN DATA WRAPPER text2sql
            OPTIONS (base_url '{fleet.model.base_url}', model 'm', total_timeout '1h', retries '0');
        CREATE ROLE asker LOGIN; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO asker;
        ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO asker; GRANT USAGE ON FOREIGN SERVER model TO asker;
        ALTER DATABASE fleet SET text2sql.server = 'model';
        ALTER DATABASE fleet SET text2sql.strategy = 'zero_shot'""")


def main() -> None:
    model, folder, *rest = sys.argv[1:]
    shards, form, wanted = rest[:3], rest[3], rest[4:]
    fleet = Fleet(Checks(), Script(model, "fleet"), folder, shards, form == "short")
    prepare(fleet)
    parts = [
        ("standby", fleet_standby.prepare, fleet_standby.check_standby),
        ("poolers", fleet_poolers.prepare, fleet_poolers.check_poolers),
        ("standby", None, fleet_standby.check_promotion),
        ("partitions", fleet_partitions.prepare, fleet_partitions.check_partitions),
        ("shards", fleet_shards.prepare, fleet_shards.check_shards),
        ("waits", None, fleet_waits.check_waits),
    ]
    for title, ready, checks in parts:
        if wanted and title not in wanted:
            continue
        begun = time.monotonic()
        if ready:
            ready(fleet)
        between = time.monotonic()
        checks(fleet)
        print(
            f"    {title}: made in {between - begun:.0f} s, checked in {time.monotonic() - between:.0f} s", flush=True
        )
    fleet.check.finish()


if __name__ == "__main__":
    main()
