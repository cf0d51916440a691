/**
 * Durable, append-only streams in files.
 *
 * <p>All changes go through one thread, the committer. It judges each against the newest state,
 * writes a batch to the journal, syncs once, publishes the new states and answers. Readers see
 * published states only, which never change, and read segment files on their own.
 */
@NullMarked
package dev.weir.streams;

import org.jspecify.annotations.NullMarked;
