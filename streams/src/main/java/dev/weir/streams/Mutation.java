package dev.weir.streams;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A change as the journal keeps it: a fact, not a request. Replaying it twice changes nothing. */
sealed interface Mutation {
  long streamId();

  /** A stream came to be; a fork starts with its source's segments and tail. */
  record Created(
      long streamId,
      String path,
      StreamConfig config,
      long createdMillis,
      List<Segment> segments,
      long tailOffset)
      implements Mutation {
    StreamState toState() {
      return new StreamState(
          streamId,
          path,
          config,
          createdMillis,
          segments,
          tailOffset,
          /* closed= */ false,
          null,
          null,
          /* softDeleted= */ false);
    }
  }

  /**
   * Bytes were added, or the stream was closed, or both.
   *
   * @param segment where the bytes lie
   * @param offset the stream's tail before
   * @param bytes how many were added
   * @param inJournal whether the bytes follow the record; otherwise they were durable in the
   *     segment's file before the record was written
   */
  record Appended(
      long streamId,
      Segment segment,
      long offset,
      long bytes,
      boolean inJournal,
      boolean closes,
      @Nullable String sequence,
      @Nullable ProducerTag producer)
      implements Mutation {}

  /** A stream was deleted by its owner, or expired. */
  record Deleted(long streamId) implements Mutation {}
}
