# PostgreSQL's official image with text2sql in it.   docker build --build-arg PG_MAJOR=17 -t text2sql .
ARG PG_MAJOR=17
ARG RUST_VERSION=1.95

FROM rust:${RUST_VERSION}-slim-bookworm AS rust

# Built where it will run: against this very server, with this very libc.
FROM postgres:${PG_MAJOR}-bookworm AS build
ARG PG_MAJOR
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends \
      gcc libc6-dev clang libclang-dev make git ca-certificates debhelper postgresql-server-dev-${PG_MAJOR}
COPY --from=rust /usr/local/cargo /usr/local/cargo
COPY --from=rust /usr/local/rustup /usr/local/rustup
ENV CARGO_HOME=/usr/local/cargo RUSTUP_HOME=/usr/local/rustup PATH=/usr/local/cargo/bin:$PATH
COPY . /text2sql
WORKDIR /text2sql
RUN tools/package postgres

FROM postgres:${PG_MAJOR}-bookworm
COPY --from=build /text2sql/dist/postgresql-*-text2sql_*.deb /tmp/
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends /tmp/postgresql-*-text2sql_*.deb \
 && rm -rf /tmp/*.deb /var/lib/apt/lists/*
# In the database that the image makes, and in every one made after it.
RUN printf '%s\n' 'CREATE EXTENSION text2sql;' '\c template1' 'CREATE EXTENSION text2sql;' >/docker-entrypoint-initdb.d/text2sql.sql
