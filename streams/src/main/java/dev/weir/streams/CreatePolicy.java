package dev.weir.streams;

import org.jspecify.annotations.Nullable;

/** Whether and how a stream is to be created; pure. */
final class CreatePolicy {
  private CreatePolicy() {}

  /**
   * Why a fork cannot be made from {@code source}; null when it can. A source that the fork's point
   * was not resolved against has come since its creator asked, so there was a moment without any:
   * that is the answer then.
   */
  static @Nullable CreateOutcome refuseFork(@Nullable StreamState source, CreateRequest request) {
    CreateRequest.ForkRequest fork = request.fork();
    if (fork == null) {
      return null;
    }
    if (source == null) {
      return new CreateOutcome.SourceNotFound("there is no source stream " + fork.sourcePath());
    }
    if (source.softDeleted()) {
      return new CreateOutcome.Conflict(
          "the source stream was deleted; it is kept for its forks only");
    }
    if (fork.sourceId() != source.streamId()) {
      return new CreateOutcome.SourceNotFound(
          "the source stream "
              + fork.sourcePath()
              + " was created after the fork was asked for: ask again");
    }
    String contentType = request.contentType();
    if (contentType != null
        && !StreamConfig.sameMediaType(contentType, source.config().contentType())) {
      return new CreateOutcome.Conflict(
          "the source stream has the content type "
              + source.config().contentType()
              + "; a fork cannot have another");
    }
    if (fork.pointOffset() > source.tailOffset()) {
      return new CreateOutcome.BadForkPoint(
          "the fork point lies after the end of the source stream");
    }
    return null;
  }

  /** The new stream's configuration; a fork inherits what its creator left out. */
  static StreamConfig config(CreateRequest request, @Nullable StreamState source) {
    CreateRequest.ForkRequest fork = request.fork();
    String contentType = request.contentType();
    if (fork == null || source == null) {
      if (contentType == null) {
        throw new IllegalArgumentException("a stream that is no fork needs a content type");
      }
      return new StreamConfig(
          contentType, request.ttlSeconds(), request.expiresAt(), request.expiresAtMillis(), null);
    }
    StreamConfig inherited = source.config();
    boolean ownExpiry =
        request.ttlSeconds() != StreamConfig.NONE || request.expiresAtMillis() != StreamConfig.NONE;
    return new StreamConfig(
        contentType != null ? contentType : inherited.contentType(),
        ownExpiry ? request.ttlSeconds() : inherited.ttlSeconds(),
        ownExpiry ? request.expiresAt() : inherited.expiresAt(),
        ownExpiry ? request.expiresAtMillis() : inherited.expiresAtMillis(),
        new ForkOrigin(source.streamId(), fork.anchorOffset(), fork.subOffset()));
  }

  /**
   * Creating is idempotent: the same again is fine, anything else is a conflict.
   *
   * @param source what the fork's source path leads to, also if it can be forked no more; null for
   *     nothing, or no fork
   */
  static CreateOutcome compare(
      StreamState existing, CreateRequest request, @Nullable StreamState source) {
    if (existing.softDeleted()) {
      return new CreateOutcome.Conflict(
          "the stream was deleted; its path is free once its forks are deleted");
    }
    boolean same =
        (request.fork() == null || source != null)
            && existing.config().matches(config(request, source));
    if (!same) {
      return new CreateOutcome.Conflict(
          "the stream exists with another configuration (content type "
              + existing.config().contentType()
              + ")");
    }
    if (existing.closed() != request.closed()) {
      return new CreateOutcome.Conflict(
          existing.closed() ? "the stream exists and is closed" : "the stream exists and is open");
    }
    return new CreateOutcome.Exists(existing);
  }
}
