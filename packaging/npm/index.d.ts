import type { DatabaseSync } from 'node:sqlite';

/** The loadable extension, for hosts that load it themselves. */
export const library: string;

/**
 * Gives this connection text2sql(), ask() and the other functions. It must have been opened with
 * `{ allowExtension: true }`; afterwards SQL cannot load further extensions.
 *
 * @throws if extensions are not allowed, or SQLite is older than 3.37
 */
export function load(database: DatabaseSync): void;
