package dev.weir.server.http;

import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** A page of text made on the spot; it needs no memory but the pool's reserve for small buffers. */
record TextHandler(String contentType, Supplier<String> text) implements ExchangeHandler {
  static final String PLAIN = "text/plain; charset=utf-8";

  /** What the reserve is for. */
  private static final int PIECE_BYTES = 4 << 10;

  @Override
  public void start(Exchange exchange) {
    ByteBuf body = inPieces(exchange.allocator(), text.get().getBytes(StandardCharsets.UTF_8));
    exchange.respond(
        HttpResponseStatus.OK,
        Headers.create()
            .set(HttpHeaderNames.CONTENT_TYPE, contentType)
            .set(HttpHeaderNames.CACHE_CONTROL, "no-store"),
        body);
  }

  private static ByteBuf inPieces(ByteBufAllocator allocator, byte[] bytes) {
    CompositeByteBuf all = allocator.compositeDirectBuffer(bytes.length / PIECE_BYTES + 1);
    try {
      for (int from = 0; from < bytes.length; from += PIECE_BYTES) {
        int length = Math.min(PIECE_BYTES, bytes.length - from);
        ByteBuf piece = allocator.directBuffer(length, length).writeBytes(bytes, from, length);
        all.addComponent(/* increaseWriterIndex= */ true, piece);
      }
      return all;
    } catch (BudgetExceededError refused) {
      all.release();
      throw refused;
    }
  }
}
