package dev.weir.replication.fetch;

import java.nio.file.Path;

/**
 * A container that was fetched before, whole and verified.
 *
 * @param manifest of it
 * @param tree its files, which nobody changes
 */
record Earlier(Path manifest, Path tree) {}
