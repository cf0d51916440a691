package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.server.console.Console;
import dev.weir.streams.LocalDisk;
import dev.weir.streams.Payload;
import dev.weir.streams.StreamStore;
import dev.weir.streams.protocol.JsonFlattener;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A body that fails at any point leaves no memory, no quota and no file, and is answered. */
class BodyReceiverTest {
  @TempDir Path directory;
  private final FaultyBuffers uploads = new FaultyBuffers();
  private final FaultyBuffers pieces = new FaultyBuffers();
  private final List<Payload> complete = new ArrayList<>();
  private final List<Throwable> told = new ArrayList<>();

  /** What I/O threads are to do; refused once {@link #ioEnded}. */
  private final Queue<Runnable> io = new ArrayDeque<>();

  private boolean ioEnded;
  private final Pool pool = Pool.create(PoolOptions.withLimit(4 << 20));
  private final Console console = UnreachableLoopTest.console(pool);
  private StreamStore store;
  private boolean storeClosed;
  private Services services;

  @BeforeEach
  void open() throws IOException {
    store = StreamStore.open(directory, new LocalDisk(), () -> 0);
    Executor executor =
        task -> {
          if (ioEnded) {
            throw new RejectedExecutionException("made by the test");
          }
          io.add(task);
        };
    services = UnreachableLoopTest.services(store, console, executor);
  }

  @AfterEach
  void close() throws IOException {
    closeStore();
    console.close();
    pool.close();
    assertThat(services.staging().usedBytes()).isZero();
    assertThat(Stream.concat(uploads.given.stream(), pieces.given.stream()))
        .allMatch(buffer -> buffer.refCnt() == 0);
  }

  private BodyReceiver receiver(UnreachableLoop loop, @Nullable JsonFlattener json) {
    return new BodyReceiver(
        services, loop.exchange(), loop.exchange(), json, complete::add, told::add);
  }

  /** A loop that is handed everything, and runs it when the test does. */
  private UnreachableLoop loop() {
    return new UnreachableLoop(/* refusal= */ null, uploads);
  }

  private ByteBuf piece(int bytes) {
    return pieces.directBuffer(bytes).writeZero(bytes);
  }

  private ByteBuf piece(String content) {
    ByteBuf piece = pieces.directBuffer(content.length());
    piece.writeCharSequence(content, StandardCharsets.US_ASCII);
    return piece;
  }

  private ByteBuf tooLargeForMemory() {
    return piece(StreamStore.MAX_INLINE_BYTES + 1);
  }

  private static boolean isSegment(Path file) {
    return file.toString().endsWith(".bytes");
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(BodyReceiverTest::isSegment).toList();
    }
  }

  private void closeStore() throws IOException {
    if (!storeClosed) {
      storeClosed = true;
      store.close();
    }
  }

  @Test
  void theLastPieceFindsNoRoomForThePayload() {
    BodyReceiver receiver = receiver(loop(), /* json= */ null);
    receiver.accept(piece(100), /* last= */ false);
    uploads.viewsFail = true;
    assertThatThrownBy(() -> receiver.accept(piece(100), /* last= */ true))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(services.staging().usedBytes()).isPositive();
    receiver.abort();
    assertThat(services.staging().usedBytes()).isZero();
    assertThat(complete).isEmpty();
  }

  @Test
  void aPayloadWhoseMemoryCannotBeGivenBackGivesItsQuotaBack() {
    receiver(loop(), /* json= */ null).accept(piece(100), /* last= */ true);
    uploads.releasesFail = true;
    assertThat(complete).hasSize(1);
    assertThatThrownBy(complete.getFirst()::release).isInstanceOf(IllegalStateException.class);
    assertThat(services.staging().usedBytes()).isZero();
  }

  @Test
  void aPieceThatCannotBeFlattenedIsReleased() {
    BodyReceiver receiver = receiver(loop(), new JsonFlattener());
    receiver.accept(piece("[1"), /* last= */ false);
    pieces.viewsFail = true;
    assertThatThrownBy(() -> receiver.accept(piece(",2]"), /* last= */ true))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(pieces.given).hasSize(2).allMatch(piece -> piece.refCnt() == 0);
    receiver.abort();
  }

  @Test
  void aPieceIsReleasedWhenThePoolIsClosed() {
    BodyReceiver receiver = receiver(loop(), /* json= */ null);
    uploads.closed = true;
    assertThatThrownBy(() -> receiver.accept(piece(100), /* last= */ false))
        .isInstanceOf(IllegalStateException.class);
    assertThat(pieces.given).hasSize(1).allMatch(piece -> piece.refCnt() == 0);
    receiver.abort();
  }

  @Test
  void theCommaOfTheLastMessageIsPartOfThePayload() throws IOException {
    BodyReceiver receiver = receiver(loop(), new JsonFlattener());
    receiver.accept(piece("[1, "), /* last= */ false);
    receiver.accept(piece("2]"), /* last= */ true);
    assertThat(told).isEmpty();
    assertThat(complete).hasSize(1);
    Payload.Inline payload = (Payload.Inline) complete.getFirst();
    assertThat(StandardCharsets.US_ASCII.decode(payload.contents()).toString()).isEqualTo("1,2,");
    payload.release();
  }

  @Test
  void theCommaOfTheLastMessageIsPartOfTheFile() throws IOException {
    UnreachableLoop loop = loop();
    BodyReceiver receiver = receiver(loop, new JsonFlattener());
    String digits = "1".repeat(StreamStore.MAX_INLINE_BYTES);
    receiver.accept(piece("[2,"), /* last= */ false);
    receiver.accept(piece(digits + "]"), /* last= */ true);
    io.remove().run();
    loop.refused.getFirst().run();
    assertThat(complete).hasSize(1);
    assertThat(complete.getFirst().bytes()).isEqualTo(digits.length() + 3);
    assertThat(segments())
        .singleElement()
        .satisfies(file -> assertThat(file).hasContent("2," + digits + ","));
    complete.getFirst().release();
  }

  @Test
  void stagedMemoryThatCannotBeGivenBackHidesNothingFromTheLoop() throws IOException {
    UnreachableLoop loop = loop();
    BodyReceiver receiver = receiver(loop, /* json= */ null);
    receiver.accept(piece(100), /* last= */ false);
    assertThat(services.staging().usedBytes()).isPositive();
    receiver.accept(tooLargeForMemory(), /* last= */ true);
    uploads.releasesFail = true;
    io.remove().run();
    assertThat(services.staging().usedBytes()).isZero();
    assertThat(loop.refused).hasSize(1);
    loop.refused.getFirst().run();
    assertThat(told).hasSize(1).allMatch(IllegalStateException.class::isInstance);
    assertThat(complete).isEmpty();
    io.remove().run();
    closeStore();
    assertThat(segments()).isEmpty();
  }

  @Test
  void aPieceThatCannotBeWrittenForWantOfMemoryIsToldOf() throws IOException {
    UnreachableLoop loop = loop();
    BodyReceiver receiver = receiver(loop, /* json= */ null);
    receiver.accept(piece(100), /* last= */ false);
    receiver.accept(tooLargeForMemory(), /* last= */ true);
    pieces.viewsFail = true;
    io.remove().run();
    assertThat(services.staging().usedBytes()).isZero();
    loop.refused.getFirst().run();
    assertThat(told).hasSize(1).allMatch(OutOfMemoryError.class::isInstance);
    io.remove().run();
    closeStore();
    assertThat(segments()).isEmpty();
  }

  @Test
  void anErrorIsToldWhenTheStoreDeletesNothingMore() throws IOException {
    UnreachableLoop loop = loop();
    BodyReceiver receiver = receiver(loop, new JsonFlattener());
    receiver.accept(piece("\"" + "x".repeat(StreamStore.MAX_INLINE_BYTES)), /* last= */ false);
    io.remove().run();
    loop.refused.getFirst().run();
    closeStore();
    ioEnded = true;
    receiver.accept(piece("\" no JSON"), /* last= */ true);
    assertThat(told).hasSize(1).allMatch(ProtocolException.class::isInstance);
  }

  @Test
  void aLoopThatHasEndedHearsNothingWhenTheStoreDeletesNothingMore() throws IOException {
    UnreachableLoop loop =
        new UnreachableLoop(new RejectedExecutionException("made by the test"), uploads);
    receiver(loop, /* json= */ null).accept(tooLargeForMemory(), /* last= */ false);
    closeStore();
    io.remove().run();
    assertThat(loop.refused).as("the step").hasSize(1);
  }
}
