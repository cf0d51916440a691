package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.profile.LeakWatch;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Permit;
import dev.weir.server.console.Console;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.console.Frame;
import dev.weir.server.metrics.MemoryFigures;
import dev.weir.server.metrics.NodeMetrics;
import dev.weir.streams.CreateRequest;
import dev.weir.streams.Disk;
import dev.weir.streams.DiskFile;
import dev.weir.streams.LocalDisk;
import dev.weir.streams.Payload;
import dev.weir.streams.RangeReader;
import dev.weir.streams.StreamState;
import dev.weir.streams.StreamStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is handed to an event loop that takes nothing any more is let go of where it is. */
class UnreachableLoopTest {
  private static final String CONTENT = "content";

  @TempDir Path directory;
  private final AtomicInteger openFiles = new AtomicInteger();

  static final RejectedExecutionException REFUSAL =
      new RejectedExecutionException("made by the test");

  /** Counts the files that are open for reading. */
  private Disk disk() {
    Disk disk = new LocalDisk();
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (proxy, method, args) -> {
              Object result = call(method, disk, args);
              return method.getName().equals("openForReading")
                  ? counted((DiskFile) result)
                  : result;
            });
  }

  private DiskFile counted(DiskFile file) {
    openFiles.incrementAndGet();
    return (DiskFile)
        Proxy.newProxyInstance(
            DiskFile.class.getClassLoader(),
            new Class<?>[] {DiskFile.class},
            (proxy, method, args) -> {
              if (method.getName().equals("close")) {
                openFiles.decrementAndGet();
              }
              return call(method, file, args);
            });
  }

  private static Object call(Method method, Object target, Object[] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private StreamStore store() throws IOException {
    StreamStore store = StreamStore.open(directory, disk(), () -> 0);
    ByteBuffer content = ByteBuffer.wrap(CONTENT.getBytes(StandardCharsets.US_ASCII));
    store.create(CreateRequest.of("a", "text/plain"), new Payload.Inline(content, () -> {})).join();
    return store;
  }

  private static RangeSender sender(StreamStore store, UnreachableLoop loop, Executor io) {
    StreamState state = Objects.requireNonNull(store.find("a")).state();
    RangeReader reader = store.read(state, 0, state.tailOffset());
    return new RangeSender(
        loop.exchange(),
        io,
        reader,
        CONTENT.length() - 1,
        (chunk, next) -> chunk.release(),
        () -> {},
        error -> {});
  }

  @Test
  void aChunkThatWasReadTooLateIsReleasedAndItsFileClosed() throws IOException {
    UnreachableLoop loop = new UnreachableLoop(REFUSAL);
    try (StreamStore store = store()) {
      RangeSender sender = sender(store, loop, Runnable::run);
      sender.pump();
      sender.close();
    }
    assertThat(loop.refused).as("attempts to hand the chunk back").isNotEmpty();
    assertThat(loop.allocated).hasSize(1).allMatch(chunk -> chunk.refCnt() == 0);
    assertThat(openFiles).hasValue(0);
  }

  @Test
  void aChunkThatNobodyCanReadIsReleased() throws IOException {
    UnreachableLoop loop = new UnreachableLoop(REFUSAL);
    try (StreamStore store = store()) {
      RangeSender sender =
          sender(
              store,
              loop,
              task -> {
                throw REFUSAL;
              });
      assertThatThrownBy(sender::pump).isSameAs(REFUSAL);
      sender.close();
    }
    assertThat(loop.allocated).hasSize(1).allMatch(chunk -> chunk.refCnt() == 0);
    assertThat(openFiles).hasValue(0);
  }

  static Console console(Pool pool) {
    return Console.start(
        pool,
        Map.of(),
        ConsoleAccess.OFF,
        /* intervalMillis= */ 3_600_000,
        new LeakWatch(LeakWatch.DEFAULT_THRESHOLD));
  }

  @Test
  void aFrameThatCannotBeSentIsNotHeld() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(4 << 20));
        Console console = console(pool)) {
      Frame frame = console.frame().join();
      ByteBuf held = frame.json();
      int before = held.refCnt();
      UnreachableLoop loop = new UnreachableLoop(REFUSAL);
      new ConsoleSnapshot(console).start(loop.exchange());
      assertThat(loop.refused).isNotEmpty();
      assertThat(held.refCnt()).isEqualTo(before);
      held.release();
      frame.release();
    }
  }

  @Test
  void aPermitThatNobodyHearsOfIsClosed() throws IOException {
    try (StreamStore store = store();
        WeirAllocator allocator = WeirAllocator.withLimit(4 << 20);
        Console console = console(allocator.pool())) {
      CompletableFuture<Permit> room = new CompletableFuture<>();
      UnreachableLoop loop = new UnreachableLoop(REFUSAL);
      ResponseMemory memory = memory(store, allocator, console, room, loop);
      memory.allocate(1000, ByteBuf::release);
      Permit permit = permit(allocator);
      room.complete(permit);
      assertThat(loop.refused).isNotEmpty();
      assertThat(permit.unspentBytes()).isZero();
    }
  }

  @Test
  void aPermitOnItsWayToALoopThatEndsIsClosedWithItsExchange() throws IOException {
    try (StreamStore store = store();
        WeirAllocator allocator = WeirAllocator.withLimit(4 << 20);
        Console console = console(allocator.pool())) {
      CompletableFuture<Permit> room = CompletableFuture.completedFuture(permit(allocator));
      UnreachableLoop loop = new UnreachableLoop(/* refusal= */ null);
      ResponseMemory memory = memory(store, allocator, console, room, loop);
      memory.allocate(1000, ByteBuf::release);
      assertThat(room.join().unspentBytes()).isPositive();
      memory.close();
      assertThat(room.join().unspentBytes()).isZero();
    }
  }

  private static Permit permit(WeirAllocator allocator) {
    Permit permit =
        Buffers.of(allocator).admission().admit(1000, Duration.ZERO).toCompletableFuture().join();
    assertThat(permit.unspentBytes()).isPositive();
    return permit;
  }

  /** Has no room now, and that of {@code room} later. */
  private static ResponseMemory memory(
      StreamStore store,
      WeirAllocator allocator,
      Console console,
      CompletableFuture<Permit> room,
      UnreachableLoop loop) {
    Budget closed = allocator.pool().rootBudget().child("closed", Budget.UNLIMITED);
    closed.close();
    Services services = services(store, console, Runnable::run);
    return new ResponseMemory(
        services,
        ConnectionMemory.shared(allocator.charging(closed), (bytes, deadline) -> room),
        loop.exchange(),
        new StallGuard(services.limits(), () -> {}));
  }

  static Services services(StreamStore store, Console console, Executor io) {
    NodeMetrics metrics =
        new NodeMetrics(
            store.stats(),
            store::streamCount,
            new MemoryFigures(() -> 0, () -> 0, () -> 0, () -> 0, () -> 0));
    return new Services(
        store,
        io,
        new ForkSearches(io),
        HttpLimits.forBudget(32 << 20),
        new AccessGuard(AccessPolicy.DEFAULT, /* onLoopback= */ false),
        new ContentCodings(null),
        new Permits(16),
        new Permits(16),
        new StagingQuota(1 << 20),
        metrics,
        console,
        /* tls= */ null);
  }

  /** Bodies that did not stay in memory. */
  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("spool"))) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  static ByteBuf piece(int bytes) {
    return UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes).writeZero(bytes);
  }

  static ByteBuf tooLargeForMemory() {
    return piece(StreamStore.MAX_INLINE_BYTES + 1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPieceThatWasWrittenTooLateLeavesNoFile(boolean last) throws IOException {
    ByteBuf piece = tooLargeForMemory();
    FaultyBuffers uploads = new FaultyBuffers();
    UnreachableLoop loop = new UnreachableLoop(REFUSAL, uploads);
    List<Path> before;
    try (StreamStore store = store();
        Pool pool = Pool.create(PoolOptions.withLimit(4 << 20));
        Console console = console(pool)) {
      before = files();
      Services services = services(store, console, Runnable::run);
      BodyReceiver receiver =
          new BodyReceiver(
              services, loop.exchange(), loop.exchange(), null, Payload::release, error -> {});
      receiver.accept(piece(100), /* last= */ false);
      assertThat(services.staging().usedBytes()).as("staged").isPositive();
      receiver.accept(piece, last);
      assertThat(services.staging().usedBytes()).isZero();
    }
    assertThat(loop.refused).isNotEmpty();
    assertThat(uploads.given).hasSize(1).allMatch(staged -> staged.refCnt() == 0);
    assertThat(piece.refCnt()).isZero();
    assertThat(files()).isSubsetOf(before);
  }

  @Test
  void aPieceThatNobodyCanWriteIsReleasedAndToldOf() throws IOException {
    ByteBuf piece = tooLargeForMemory();
    FaultyBuffers uploads = new FaultyBuffers();
    List<Throwable> told = new ArrayList<>();
    try (StreamStore store = store();
        Pool pool = Pool.create(PoolOptions.withLimit(4 << 20));
        Console console = console(pool)) {
      Services services =
          services(
              store,
              console,
              task -> {
                throw REFUSAL;
              });
      UnreachableLoop loop = new UnreachableLoop(REFUSAL, uploads);
      BodyReceiver receiver =
          new BodyReceiver(
              services, loop.exchange(), loop.exchange(), null, Payload::release, told::add);
      receiver.accept(piece(100), /* last= */ false);
      assertThat(services.staging().usedBytes()).as("staged").isPositive();
      receiver.accept(piece, /* last= */ false);
      assertThat(services.staging().usedBytes()).isZero();
    }
    assertThat(told).containsExactly(REFUSAL);
    assertThat(uploads.given).hasSize(1).allMatch(staged -> staged.refCnt() == 0);
    assertThat(piece.refCnt()).isZero();
  }

  @Test
  void aViewOfTheConsoleThatCannotBeSentIsReleased() throws IOException {
    HttpRequest get = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
    UnreachableLoop loop =
        new UnreachableLoop(/* refusal= */ null, UnpooledByteBufAllocator.DEFAULT, get);
    try (Pool pool = Pool.create(PoolOptions.withLimit(4 << 20));
        Console console = console(pool)) {
      ConsoleEvents events = new ConsoleEvents(console, HttpLimits.forBudget(32 << 20));
      Frame frame = console.frame().join();
      events.start(loop.exchange());
      console.history().join();
      loop.refused.forEach(Runnable::run);
      loop.refuse(REFUSAL);
      ByteBuf view = frame.event();
      int before = view.refCnt();
      events.show(frame);
      assertThat(view.refCnt()).isEqualTo(before);
      view.release();
      events.close();
      frame.release();
    }
  }
}
