package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.WeirAdmission;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What memory can never hold is answered at once; nobody waits for a deadline, which is ten minutes
 * away. What it can just hold is taken in.
 */
@Timeout(120)
class LargestBodyTest {
  private static final int MIB = 1 << 20;
  private static final int PIECE_BYTES = 8_192;

  private final Pool pool = Pool.create(PoolOptions.withLimit(16 * MIB));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final Budget object = pool.rootBudget().child("object", Budget.UNLIMITED);
  private final Budget uploads = object.child("uploads", Budget.UNLIMITED);
  private final WeirAdmission admission = new WeirAdmission(allocator, uploads);
  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new HttpServerCodec(),
          new BudgetedHttpAggregator(
              admission,
              AggregatorOptions.upTo(64 * MIB).withAdmissionDeadline(Duration.ofMinutes(10))));

  /** Which of the limits is the least: of the pool's 16 MiB, grants can get less. */
  enum Least {
    OF_THE_POOL,
    OF_THE_BUDGET,
    OF_ONE_ABOVE
  }

  private void limit(Least least) {
    switch (least) {
      case OF_THE_POOL -> {}
      case OF_THE_BUDGET -> uploads.setLimitBytes(3 * MIB);
      case OF_ONE_ABOVE -> object.setLimitBytes(3 * MIB);
    }
    admission.admit(1, Duration.ZERO).toCompletableFuture().join().close();
  }

  @AfterEach
  void nothingIsHeld() {
    channel.finishAndReleaseAll();
    assertThat(uploads.chargedBytes()).isZero();
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(pool.snapshot().promisedBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  private void receive(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, US_ASCII));
  }

  private void receivePieces(long count) {
    String piece = "2000\r\n" + "x".repeat(PIECE_BYTES) + "\r\n";
    for (long i = 0; i < count; i++) {
      receive(piece);
    }
  }

  private String answer() {
    @Nullable ByteBuf answer = channel.readOutbound();
    if (answer == null) {
      return "none";
    }
    String text = answer.toString(US_ASCII);
    answer.release();
    return text;
  }

  private void assertTaken(long bytes) {
    FullHttpRequest request = channel.readInbound();
    assertThat(request.content().readableBytes()).isEqualTo(bytes);
    request.release();
  }

  @ParameterizedTest
  @EnumSource
  void aDeclaredLength(Least least) {
    limit(least);
    receive("POST / HTTP/1.1\r\nContent-Length: " + (admission.limitBytes() + 1) + "\r\n\r\n");
    assertThat(answer()).startsWith("HTTP/1.1 413 ").contains("memory of this server");
  }

  @ParameterizedTest
  @EnumSource
  void aBodyThatBecomesTooLong(Least least) {
    limit(least);
    long pieces = admission.limitBytes() / PIECE_BYTES;
    receive("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    receivePieces(pieces);
    assertThat(answer()).isEqualTo("none");
    receivePieces(1);
    assertThat(answer()).startsWith("HTTP/1.1 413 ").contains("memory of this server");
  }

  @ParameterizedTest
  @EnumSource
  void aBodyThatFitsExactly(Least least) {
    limit(least);
    long bytes = admission.limitBytes();
    receive("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    receivePieces(bytes / PIECE_BYTES);
    int rest = (int) (bytes % PIECE_BYTES);
    receive(rest == 0 ? "" : Integer.toHexString(rest) + "\r\n" + "x".repeat(rest) + "\r\n");
    receive("0\r\n\r\n");
    assertTaken(bytes);
  }

  @Test
  void theLimitIsLookedAtForEachStep() {
    limit(Least.OF_THE_BUDGET);
    receive("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    receivePieces(2 * MIB / PIECE_BYTES);
    uploads.setLimitBytes(4 * MIB);
    receivePieces(2 * MIB / PIECE_BYTES);
    assertThat(answer()).isEqualTo("none");
    uploads.setLimitBytes(3 * MIB);
    receivePieces(1);
    assertThat(answer()).startsWith("HTTP/1.1 413 ");
  }
}
