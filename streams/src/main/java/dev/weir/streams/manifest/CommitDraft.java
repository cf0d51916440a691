package dev.weir.streams.manifest;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is to be committed. Once it was committed it stays so, however often it is tried. */
public final class CommitDraft {
  private final long walPosition;
  private final long nextStreamId;
  private final List<SegmentEntry> segments;
  private final List<StreamDelta> deltas;
  private final List<Replacement> replacements;
  private @Nullable Commit committed;

  private CommitDraft(
      long walPosition,
      long nextStreamId,
      List<SegmentEntry> segments,
      List<StreamDelta> deltas,
      List<Replacement> replacements) {
    this.walPosition = walPosition;
    this.nextStreamId = nextStreamId;
    this.segments = List.copyOf(segments);
    this.deltas = List.copyOf(deltas);
    this.replacements = List.copyOf(replacements);
  }

  /** A flush. */
  public static CommitDraft flush(
      long walPosition, long nextStreamId, List<SegmentEntry> segments, List<StreamDelta> deltas) {
    return new CommitDraft(walPosition, nextStreamId, segments, deltas, List.of());
  }

  /** A compaction, which leaves the WAL where it is. */
  public static CommitDraft compaction(
      List<SegmentEntry> segments, List<Replacement> replacements) {
    return new CommitDraft(-1, 0, segments, List.of(), replacements);
  }

  /** The commit that has it; null while there is none for certain. */
  public @Nullable Commit committed() {
    return committed;
  }

  void markCommitted(Commit commit) {
    committed = commit;
  }

  Commit at(long sequence, UUID nonce, Session session, Manifests before, long logStart) {
    return new Commit(
        sequence,
        nonce,
        session.owner().epoch(),
        session.claim(),
        Math.max(walPosition, before.walPosition()),
        Math.max(nextStreamId, before.nextStreamId()),
        logStart,
        before.folded(),
        segments,
        deltas,
        replacements);
  }
}
