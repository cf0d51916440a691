/**
 * From what the committer has acknowledged to segments and one commit.
 *
 * <pre>
 * committer ─► PendingChanges ─freeze─► FrozenChanges ─► FlushPlan ─► segments, then one commit
 *                                                                     then the WAL may be cut
 * </pre>
 */
@NullMarked
package dev.weir.streams.flush;

import org.jspecify.annotations.NullMarked;
