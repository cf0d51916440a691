package dev.weir.server.http;

import dev.weir.streams.AppendOutcome;
import dev.weir.streams.AppendRequest;
import dev.weir.streams.Payload;
import dev.weir.streams.ProducerTag;
import dev.weir.streams.Stream;
import dev.weir.streams.StreamConfig;
import dev.weir.streams.protocol.Offset;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;

/** POST: appends the body to a stream, closes it, or both. */
final class AppendHandler extends UploadHandler {
  AppendHandler(Services services, String path) {
    super(services, path);
  }

  @Override
  void judge(Exchange exchange) throws ProtocolException {
    HttpHeaders headers = exchange.request().headers();
    AppendRequest request =
        new AppendRequest(
            path,
            RequestHeaders.contentType(headers),
            Headers.isTrue(headers, Headers.CLOSED),
            headers.get(Headers.SEQUENCE),
            RequestHeaders.producer(headers));
    long length = exchange.contentLength();
    boolean hasBytes = length > 0 || (length < 0 && !request.closes());
    if (length == 0 && !request.closes()) {
      throw ProtocolException.badRequest(
          "an append needs a body, unless Stream-Closed: true closes the stream");
    }
    Stream stream = services.store().find(path);
    if (stream == null) {
      answer(exchange, request, new AppendOutcome.NotFound());
      return;
    }
    StreamConfig config = stream.state().config();
    AppendOutcome refusal = services.store().refuseEarly(stream, request, hasBytes);
    if (hasBytes && request.contentType() == null && !(refusal instanceof AppendOutcome.Closed)) {
      throw ProtocolException.badRequest("an append needs a Content-Type: " + config.contentType());
    }
    if (refusal != null) {
      answer(exchange, request, refusal);
      return;
    }
    receive(exchange, config.isJson(), payload -> append(exchange, request, payload));
  }

  private void append(Exchange exchange, AppendRequest request, Payload payload) {
    if (payload.bytes() == 0 && (!request.closes() || wasSent())) {
      payload.release();
      exchange.refuse(
          400,
          wasSent() ? "an empty JSON array appends nothing" : "an append needs a body",
          EmptyHttpHeaders.INSTANCE);
      return;
    }
    exchange.whenDone(
        services.store().append(request, payload), outcome -> answer(exchange, request, outcome));
  }

  private static void answer(Exchange exchange, AppendRequest request, AppendOutcome outcome) {
    HttpHeaders headers = Headers.create();
    switch (outcome) {
      case AppendOutcome.Appended appended -> {
        position(headers, appended.tailOffset(), appended.closed());
        ProducerTag tag = request.producer();
        if (tag == null) {
          exchange.respond(HttpResponseStatus.NO_CONTENT, headers);
        } else {
          producer(headers, tag.epoch(), tag.sequence());
          boolean closedOnly = request.closes() && exchange.contentLength() == 0;
          exchange.respond(
              closedOnly ? HttpResponseStatus.NO_CONTENT : HttpResponseStatus.OK, headers);
        }
      }
      case AppendOutcome.Duplicate duplicate -> {
        position(headers, duplicate.tailOffset(), duplicate.closed());
        producer(headers, duplicate.epoch(), duplicate.lastSequence());
        exchange.respond(HttpResponseStatus.NO_CONTENT, headers);
      }
      case AppendOutcome.Closed closed -> {
        position(headers, closed.tailOffset(), /* closed= */ true);
        exchange.refuse(409, "the stream is closed", headers);
      }
      case AppendOutcome.NotFound missing ->
          exchange.refuse(404, "there is no such stream", headers);
      case AppendOutcome.Gone gone ->
          exchange.refuse(410, "the stream was deleted; it is kept for its forks only", headers);
      case AppendOutcome.ContentTypeDiffers differs ->
          exchange.refuse(409, "the stream has the content type " + differs.expected(), headers);
      case AppendOutcome.SequenceNotAbove last ->
          exchange.refuse(409, "Stream-Seq must be above the last one, " + last.last(), headers);
      case AppendOutcome.StaleEpoch stale -> {
        headers.set(Headers.PRODUCER_EPOCH, stale.currentEpoch());
        exchange.refuse(403, "a newer epoch of this producer is at work", headers);
      }
      case AppendOutcome.SequenceGap gap -> {
        headers.set(Headers.PRODUCER_EXPECTED_SEQ, gap.expected());
        headers.set(Headers.PRODUCER_RECEIVED_SEQ, gap.received());
        exchange.refuse(409, "Producer-Seq skips numbers", headers);
      }
      case AppendOutcome.EpochMustStartAtZero epoch ->
          exchange.refuse(400, "a new Producer-Epoch must begin with Producer-Seq 0", headers);
      case AppendOutcome.TooManyProducers many ->
          exchange.refuse(429, "the stream has " + many.limit() + " producers, its limit", headers);
    }
  }

  private static void position(HttpHeaders headers, long tailOffset, boolean closed) {
    headers.set(Headers.NEXT_OFFSET, Offset.format(tailOffset));
    if (closed) {
      headers.set(Headers.CLOSED, "true");
    }
  }

  private static void producer(HttpHeaders headers, long epoch, long sequence) {
    headers.set(Headers.PRODUCER_EPOCH, epoch);
    headers.set(Headers.PRODUCER_SEQ, sequence);
  }
}
