package dev.weir.streams;

import org.jspecify.annotations.Nullable;

/** A change as the journal keeps it: a fact, not a request. Replaying it twice changes nothing. */
sealed interface Mutation {
  /** No spool file has this number. */
  long IN_JOURNAL = 0;

  long streamId();

  /** A stream came to be; {@code tailOffset} is 0, or a fork's point. */
  record Created(
      long streamId, String path, StreamConfig config, long createdMillis, long tailOffset)
      implements Mutation {
    StreamState toState() {
      return new StreamState(
          streamId,
          path,
          config,
          createdMillis,
          /* ownOffset= */ tailOffset,
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
   * @param offset the stream's tail before
   * @param bytes how many were added
   * @param spoolId the spool file where the bytes were durable before the record was written;
   *     {@link #IN_JOURNAL} where they follow the record
   */
  record Appended(
      long streamId,
      long offset,
      long bytes,
      long spoolId,
      boolean closes,
      @Nullable String sequence,
      @Nullable ProducerTag producer)
      implements Mutation {
    /** Whether the bytes follow the record. */
    boolean inJournal() {
      return spoolId == IN_JOURNAL;
    }
  }

  /** A stream was deleted by its owner, or expired. */
  record Deleted(long streamId) implements Mutation {}
}
