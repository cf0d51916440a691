package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.netty.flow.SocketIntake;
import dev.weir.streams.protocol.ProtocolException;
import dev.weir.streams.protocol.StreamPath;
import dev.weir.stress.Mutations;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The first byte says how the rest, what a client sends, is cut into packets. That changes nothing
 * in what is read, and whatever is read is understood or refused.
 */
class RequestFuzzTest {
  /** One way to look at the headers of a request. */
  private interface Reading {
    Object of(HttpHeaders headers) throws ProtocolException;
  }

  private static final List<Reading> READINGS =
      List.of(
          headers -> String.valueOf(RequestHeaders.contentType(headers)),
          RequestHeaders::ttlSeconds,
          RequestHeaders::expiresAtMillis,
          headers -> String.valueOf(RequestHeaders.producer(headers)),
          headers -> String.valueOf(RequestHeaders.fork(headers)));

  @FuzzTest
  void fuzz(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] sent = Arrays.copyOfRange(input, 1, input.length);
    assertThat(understood(sent, 1 + (input[0] & 0x3f)))
        .isEqualTo(understood(sent, Math.max(1, sent.length)));
  }

  private static String understood(byte[] sent, int packetBytes) {
    StringBuilder seen = new StringBuilder();
    StrictRequestDecoder decoder = new StrictRequestDecoder();
    EmbeddedChannel channel = new EmbeddedChannel(new SocketIntake(decoder), decoder);
    boolean refused = false;
    for (byte[] packet : Mutations.pieces(sent, 0, packetBytes)) {
      channel.writeInbound(Unpooled.wrappedBuffer(packet));
      for (Object message = next(channel); message != null; message = next(channel)) {
        refused = refused || look(message, seen);
        ReferenceCountUtil.release(message);
      }
    }
    assertThat(channel.finishAndReleaseAll()).isIn(true, false);
    return seen.toString();
  }

  /** The next message, asked for unless it has come; null when it takes more packets. */
  private static Object next(EmbeddedChannel channel) {
    Object message = channel.readInbound();
    if (message == null) {
      channel.read();
      message = channel.readInbound();
    }
    return message;
  }

  /** Whether this is the end: what follows a refusal is never looked at. */
  private static boolean look(Object message, StringBuilder seen) {
    if (message instanceof HttpRequest request) {
      Refusals.Refusal refusal = RequestCheck.refuse(request);
      if (refusal != null) {
        assertThat(refusal.status()).isIn(400, 414, 417, 431, 501, 505);
        assertThat(refusal.reason()).isNotEmpty().doesNotContain("\r", "\n");
        seen.append(refusal);
        return true;
      }
      seen.append(request.method()).append(' ').append(request.uri()).append(request.headers());
      READINGS.forEach(reading -> seen.append(read(reading, request)));
      seen.append(read(headers -> ReadQuery.parse(request.uri()), request));
      seen.append(read(headers -> StreamPath.parse(path(request.uri())), request));
    }
    if (message instanceof HttpContent content) {
      if (content.decoderResult().isFailure()) {
        seen.append("broken off");
        return true;
      }
      seen.append(content.content().toString(StandardCharsets.ISO_8859_1));
      if (message instanceof LastHttpContent) {
        seen.append('\n');
      }
    }
    return false;
  }

  private static String path(String uri) {
    int query = uri.indexOf('?');
    return query < 0 ? uri : uri.substring(0, query);
  }

  private static Object read(Reading reading, HttpRequest request) {
    try {
      return reading.of(request.headers());
    } catch (ProtocolException e) {
      assertThat(e.status()).isBetween(400, 499);
      return e.status();
    }
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
