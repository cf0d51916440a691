package dev.weir.streams;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Whether an append is right for a stream's state; pure. The order of the checks is the protocol's:
 * repetitions of an accepted append first, then closure, content type, producer, {@code
 * Stream-Seq}.
 */
final class AppendPolicy {
  private AppendPolicy() {}

  /**
   * Judges an append.
   *
   * @param producer what the stream knows of the request's producer
   * @param hasBytes whether the request carries a body
   * @return why not, or null when the append is to be made
   */
  static @Nullable AppendOutcome refuse(
      StreamState state,
      @Nullable ProducerState producer,
      AppendRequest request,
      boolean hasBytes) {
    if (state.softDeleted()) {
      return new AppendOutcome.Gone();
    }
    ProducerTag tag = request.producer();
    if (state.closed()) {
      return refuseClosed(state, producer, request, hasBytes);
    }
    String contentType = request.contentType();
    if (hasBytes
        && (contentType == null
            || !StreamConfig.sameMediaType(contentType, state.config().contentType()))) {
      return new AppendOutcome.ContentTypeDiffers(state.config().contentType());
    }
    AppendOutcome outcome = tag == null ? null : refuseProducer(state, producer, tag);
    return outcome != null ? outcome : refuseSequence(state, request.sequence());
  }

  private static AppendOutcome refuseClosed(
      StreamState state,
      @Nullable ProducerState producer,
      AppendRequest request,
      boolean hasBytes) {
    ProducerTag tag = request.producer();
    if (tag == null) {
      return request.closes() && !hasBytes
          ? new AppendOutcome.Appended(state.tailOffset(), /* closed= */ true)
          : new AppendOutcome.Closed(state.tailOffset());
    }
    if (tag.equals(state.closedBy())) {
      return new AppendOutcome.Duplicate(
          state.tailOffset(), /* closed= */ true, tag.epoch(), tag.sequence());
    }
    if (producer != null && tag.epoch() < producer.epoch()) {
      return new AppendOutcome.StaleEpoch(producer.epoch());
    }
    return new AppendOutcome.Closed(state.tailOffset());
  }

  private static @Nullable AppendOutcome refuseProducer(
      StreamState state, @Nullable ProducerState producer, ProducerTag tag) {
    if (producer == null) {
      return tag.sequence() == 0 ? null : new AppendOutcome.SequenceGap(0, tag.sequence());
    }
    if (tag.epoch() < producer.epoch()) {
      return new AppendOutcome.StaleEpoch(producer.epoch());
    }
    if (tag.epoch() > producer.epoch()) {
      return tag.sequence() == 0 ? null : new AppendOutcome.EpochMustStartAtZero();
    }
    if (tag.sequence() <= producer.lastSequence()) {
      return new AppendOutcome.Duplicate(
          state.tailOffset(), state.closed(), producer.epoch(), producer.lastSequence());
    }
    long expected = producer.lastSequence() + 1;
    return tag.sequence() == expected
        ? null
        : new AppendOutcome.SequenceGap(expected, tag.sequence());
  }

  private static @Nullable AppendOutcome refuseSequence(
      StreamState state, @Nullable String sequence) {
    String last = state.lastSequence();
    if (sequence == null || last == null) {
      return null;
    }
    int order =
        Arrays.compareUnsigned(
            sequence.getBytes(StandardCharsets.UTF_8), last.getBytes(StandardCharsets.UTF_8));
    return order > 0 ? null : new AppendOutcome.SequenceNotAbove(last);
  }
}
