package dev.weir.replication.serve;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.replication.net.Amount;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetSocketAddress;
import java.util.Map;

/** Figures, and the rate, which clients of this machine may change. */
final class AdminRoutes {
  private static final int MOST_BYTES = 64;

  private final Services services;

  AdminRoutes(Services services) {
    this.services = services;
  }

  void metrics(Reply reply) {
    reply.answer(
        Answers.of(
            HttpResponseStatus.OK, services.metrics().contentType(), services.metrics().scrape()));
  }

  void rate(Reply reply, HttpRequest request) {
    boolean isLocal =
        reply.context().channel().remoteAddress() instanceof InetSocketAddress address
            && address.getAddress().isLoopbackAddress();
    if (!isLocal) {
      reply.refuse(
          HttpResponseStatus.FORBIDDEN,
          Refusal.CLIENT,
          "the rate is for clients of this machine alone");
    } else if (request.method().equals(HttpMethod.PUT)) {
      reply.receive(new NewRate(reply));
    } else {
      answer(reply);
    }
  }

  private void answer(Reply reply) {
    reply.answer(
        Answers.json(
            HttpResponseStatus.OK, Map.of("bytesPerSecond", services.rate().bytesPerSecond())));
  }

  private final class NewRate implements BodyIntake {
    private final Reply reply;
    private final StringBuilder text = new StringBuilder();

    NewRate(Reply reply) {
      this.reply = reply;
    }

    @Override
    public void accept(ByteBuf part) {
      int taken = Math.min(part.readableBytes(), MOST_BYTES - text.length());
      text.append(part.toString(part.readerIndex(), taken, US_ASCII));
    }

    @Override
    public void end() {
      try {
        services.rate().set(Amount.parse(text.toString()));
        answer(reply);
      } catch (IllegalArgumentException e) {
        reply.refuse(
            HttpResponseStatus.BAD_REQUEST, Refusal.REQUEST, e.getMessage() + "; 0 is no limit");
      }
    }

    @Override
    public void abort() {
      // Nothing is held.
    }
  }
}
