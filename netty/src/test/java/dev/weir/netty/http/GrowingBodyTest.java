package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.hardening.Hardening;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.flow.Permit;
import dev.weir.netty.flow.WeirAdmission;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies of unknown length in the memory of a pool. */
@Timeout(120)
class GrowingBodyTest {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final int PIECE_BYTES = 10_000;

  private final Pool pool = Pool.create(PoolOptions.withLimit(32 * MIB));
  private final AggregatorOptions options =
      AggregatorOptions.upTo(16 * MIB).withAdmissionDeadline(Duration.ofMinutes(10));

  private static EmbeddedChannel channel(Pool pool, AggregatorOptions options) {
    WeirAllocator allocator = new WeirAllocator(pool);
    return new EmbeddedChannel(
        new HttpServerCodec(), new BudgetedHttpAggregator(new WeirAdmission(allocator), options));
  }

  private static void begin(EmbeddedChannel channel) {
    receive(channel, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".getBytes(US_ASCII));
  }

  private static void receive(EmbeddedChannel channel, byte[] bytes) {
    channel.writeInbound(Unpooled.wrappedBuffer(bytes));
  }

  private static void receiveChunk(EmbeddedChannel channel, byte[] bytes) {
    receive(channel, (Integer.toHexString(bytes.length) + "\r\n").getBytes(US_ASCII));
    receive(channel, bytes);
    receive(channel, "\r\n".getBytes(US_ASCII));
  }

  private static byte[] piece(Random random) {
    byte[] piece = new byte[PIECE_BYTES];
    random.nextBytes(piece);
    return piece;
  }

  private static void assertHolds(FullHttpRequest request, int pieces) {
    ByteBuf body = request.content();
    assertThat(body.readableBytes()).isEqualTo(pieces * PIECE_BYTES);
    Random random = new Random(1);
    for (int i = 0; i < pieces; i++) {
      assertThat(body.readSlice(PIECE_BYTES)).isEqualTo(Unpooled.wrappedBuffer(piece(random)));
    }
  }

  private void end(EmbeddedChannel... channels) {
    for (EmbeddedChannel channel : channels) {
      channel.finishAndReleaseAll();
    }
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(pool.snapshot().promisedBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  @Test
  void aBodyIsOneBufferAtAnyLengthAndItsChargeIsItsCapacity() {
    EmbeddedChannel channel = channel(pool, options);
    begin(channel);
    Random random = new Random(1);
    int pieces = 7 * MIB / PIECE_BYTES;
    for (int i = 1; i <= pieces; i++) {
      receiveChunk(channel, piece(random));
      int lengthBytes = i * PIECE_BYTES;
      assertThat(pool.liveBlockBytes())
          .as("after %d bytes", lengthBytes)
          .isBetween(
              (long) lengthBytes, Math.max(64L * KIB, lengthBytes + Math.min(lengthBytes, MIB)));
      assertThat(pool.peakResidentBytes())
          .as("no second copy")
          .isLessThan(pool.liveBlockBytes() + 5 * MIB / 2);
    }
    receive(channel, "0\r\n\r\n".getBytes(US_ASCII));
    FullHttpRequest request = channel.readInbound();
    assertThat(request.content().nioBufferCount()).isOne();
    assertThat(request.content().hasMemoryAddress()).isTrue();
    assertThat(pool.liveBlockBytes()).isEqualTo(request.content().capacity());
    assertHolds(request, pieces);
    request.release();
    end(channel);
  }

  /** What a body holds already need not be granted again. */
  @Test
  void aStepNeedsRoomForItselfOnly() throws Exception {
    EmbeddedChannel channel = channel(pool, options);
    begin(channel);
    Random random = new Random(1);
    int pieces = 12 * MIB / PIECE_BYTES;
    for (int i = 0; i < pieces; i++) {
      receiveChunk(channel, piece(random));
    }
    List<Permit> others = new ArrayList<>();
    WeirAdmission admission = new WeirAdmission(new WeirAllocator(pool));
    while (true) {
      var permit = admission.admit(MIB / 4, Duration.ofMinutes(10)).toCompletableFuture();
      if (!permit.isDone()) {
        permit.cancel(false);
        break;
      }
      others.add(permit.join());
    }
    int more = 0;
    while (channel.config().isAutoRead()) {
      receiveChunk(channel, piece(random));
      more++;
    }
    long held = pool.liveBlockBytes();
    for (int i = 0; i < 4; i++) {
      others.removeLast().close();
    }
    awaitReading(channel);
    assertThat(pool.liveBlockBytes()).isEqualTo(held + MIB);
    receive(channel, "0\r\n\r\n".getBytes(US_ASCII));
    FullHttpRequest request = channel.readInbound();
    assertHolds(request, pieces + more);
    request.release();
    others.forEach(Permit::close);
    end(channel);
  }

  private static void awaitReading(EmbeddedChannel channel) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!channel.config().isAutoRead() && System.nanoTime() - deadline < 0) {
      channel.runPendingTasks();
      Thread.onSpinWait();
    }
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  /** Every block is hardened here. */
  @Test
  void aBodyThatCannotGrowInPlaceIsSeveralBuffers() {
    Pool hardened = Pool.create(PoolOptions.withLimit(64 * MIB).withHardening(Hardening.full()));
    EmbeddedChannel channel = channel(hardened, options);
    begin(channel);
    Random random = new Random(1);
    int pieces = 3 * MIB / PIECE_BYTES;
    for (int i = 0; i < pieces; i++) {
      receiveChunk(channel, piece(random));
    }
    receive(channel, "0\r\n\r\n".getBytes(US_ASCII));
    FullHttpRequest request = channel.readInbound();
    assertThat(request.content().nioBufferCount()).isBetween(2, 7);
    assertThat(request.content().alloc()).isInstanceOf(WeirAllocator.class);
    assertHolds(request, pieces);
    request.release();
    channel.finishAndReleaseAll();
    assertThat(hardened.liveBlockBytes()).isZero();
    assertThat(hardened.snapshot().promisedBytes()).isZero();
    hardened.close();
    end();
  }

  /** Behind a count no buffer grows: what a body holds must not stand in the way of its end. */
  @ParameterizedTest
  @CsvSource({"16, 10, 9", "6, 16, 5", "8, 16, 8"})
  void aBodyWithinAllLimitsIsAdmittedByACount(int limitMib, int maximumMib, int bodyMib) {
    PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
    ByteCountAdmission admission = new ByteCountAdmission((long) limitMib * MIB, allocator);
    EmbeddedChannel channel = behindACount(admission, maximumMib * MIB);
    Random random = new Random(1);
    int pieces = bodyMib * MIB / PIECE_BYTES;
    for (int i = 0; i < pieces; i++) {
      receiveChunk(channel, piece(random));
      assertThat(channel.config().isAutoRead()).as("reads after piece %d", i).isTrue();
    }
    receive(channel, "0\r\n\r\n".getBytes(US_ASCII));
    FullHttpRequest request = channel.readInbound();
    assertHolds(request, pieces);
    request.release();
    channel.finishAndReleaseAll();
    assertThat(admission.availableBytes()).isEqualTo((long) limitMib * MIB);
    assertThat(allocator.pinnedDirectMemory()).isZero();
    end();
  }

  private static EmbeddedChannel behindACount(ByteCountAdmission admission, int maximumBytes) {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new HttpServerCodec(),
            new BudgetedHttpAggregator(
                admission,
                AggregatorOptions.upTo(maximumBytes)
                    .withAdmissionDeadline(Duration.ofMinutes(10))));
    begin(channel);
    return channel;
  }

  /** The limit lies between one step and the next, or within the first. */
  @ParameterizedTest
  @CsvSource({"50", "100", "150", "200", "2500"})
  void theLastStepIsWhatTheLimitLeaves(int pieces) {
    PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
    ByteCountAdmission admission = new ByteCountAdmission(pieces * PIECE_BYTES, allocator);
    EmbeddedChannel channel = behindACount(admission, 64 * MIB);
    Random random = new Random(1);
    for (int i = 0; i < pieces; i++) {
      receiveChunk(channel, piece(random));
      assertThat(channel.config().isAutoRead()).as("reads after piece %d", i).isTrue();
    }
    assertThat(admission.availableBytes()).isZero();
    receive(channel, "0\r\n\r\n".getBytes(US_ASCII));
    FullHttpRequest request = channel.readInbound();
    assertHolds(request, pieces);
    request.release();
    channel.finishAndReleaseAll();
    assertThat(allocator.pinnedDirectMemory()).isZero();
    end();
  }

  @Test
  void aBodyAboveTheLimitIsRefusedAtOnce() {
    PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
    ByteCountAdmission admission = new ByteCountAdmission(10 * PIECE_BYTES - 1, allocator);
    EmbeddedChannel channel = behindACount(admission, 64 * MIB);
    Random random = new Random(1);
    for (int i = 0; i < 10; i++) {
      receiveChunk(channel, piece(random));
    }
    ByteBuf answer = channel.readOutbound();
    assertThat(answer.toString(US_ASCII)).startsWith("HTTP/1.1 413");
    answer.release();
    channel.finishAndReleaseAll();
    assertThat(admission.availableBytes()).isEqualTo(10 * PIECE_BYTES - 1);
    assertThat(allocator.pinnedDirectMemory()).isZero();
    end();
  }

  @Test
  void aBodyIsNoLongerThanTheMaximumThoughItsStepsWouldBe() {
    AggregatorOptions few = AggregatorOptions.upTo(100_000).withStepBytes(PIECE_BYTES * 7);
    EmbeddedChannel channel = channel(pool, few);
    begin(channel);
    Random random = new Random(1);
    for (int i = 0; i < 10; i++) {
      receiveChunk(channel, piece(random));
    }
    receive(channel, "0\r\n\r\n".getBytes(US_ASCII));
    FullHttpRequest request = channel.readInbound();
    assertThat(request.content().capacity()).isEqualTo(100_000);
    assertHolds(request, 10);
    request.release();

    EmbeddedChannel longer = channel(pool, few);
    begin(longer);
    for (int i = 0; i < 10; i++) {
      receiveChunk(longer, piece(random));
    }
    receiveChunk(longer, new byte[1]);
    ByteBuf answer = longer.readOutbound();
    assertThat(answer.toString(US_ASCII)).startsWith("HTTP/1.1 413 ");
    answer.release();
    end(channel, longer);
  }
}
