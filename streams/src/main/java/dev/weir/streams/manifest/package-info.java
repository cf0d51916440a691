/**
 * Which streams there are, and where their bytes lie: commits say what changed, manifests fold them
 * into one snapshot for each of 256 shards, and the owner says which node may write either.
 *
 * <pre>
 * owner                       OwnerLayout      nonce, epoch, host
 * log/{sequence}              CommitLayout     what one flush, compaction or start changed
 * shards/{0..255}             ManifestLayout   all streams of a shard, up to one commit
 * </pre>
 *
 * <p>{@code CommitLog} and {@code ManifestWriter} are for one thread, which may block. {@code
 * Manifests} is written by that thread and read by any.
 */
@NullMarked
package dev.weir.streams.manifest;

import org.jspecify.annotations.NullMarked;
