package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.AdmissionRefusedException;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import dev.weir.stress.FuzzedService;
import dev.weir.stress.Mutations;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first byte says how what a client sends is cut into packets, the second how it ends, whether
 * there is memory and whether there are files; the rest is sent to a service made of the handlers.
 * How it is cut changes nothing in what the service sees, nothing is thrown, and nothing is held at
 * the end.
 */
class AggregatorFuzzTest {
  private static final int ENDS_ITS_SIDE = 1;
  private static final int NO_MEMORY = 2;
  private static final int FILES = 4;
  private static final int IS_CUT_OFF = 8;
  private static final int DISK_IS_QUICK = 16;
  private static final int MAXIMUM_BYTES = 1_000;
  private static final int MAXIMUM_FILE_BYTES = 900;
  private static final int THRESHOLD_BYTES = 20;

  /** Whatever takes so long is a hang. */
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final Pool POOL = Pool.create(PoolOptions.withLimit(8L << 20));
  private static final WeirAllocator ALLOCATOR = new WeirAllocator(POOL);
  private static final AggregatorOptions OPTIONS =
      AggregatorOptions.upTo(MAXIMUM_BYTES).withStepBytes(16);
  private static final Admission FULL =
      (bytes, deadline) ->
          CompletableFuture.failedFuture(
              new AdmissionRefusedException(AdmissionRefusedException.Reason.DEADLINE, "full"));

  private static final LaterDisk DISK = new LaterDisk();

  @TempDir private static Path folder;

  private static Spill spill;

  @BeforeAll
  static void openFolder() throws IOException {
    spill =
        new Spill(
            folder,
            MAXIMUM_FILE_BYTES,
            THRESHOLD_BYTES,
            Duration.ofMillis(10),
            /* maximumFiles= */ 100,
            DISK);
  }

  @FuzzTest
  void fuzz(byte[] input) {
    if (input.length < 2) {
      return;
    }
    byte[] sent = Arrays.copyOfRange(input, 2, input.length);
    List<String> inPackets = seen(sent, 1 + (input[0] & 0x3f), input[1]);
    List<String> atOnce = seen(sent, Math.max(1, sent.length), input[1]);
    if ((input[1] & IS_CUT_OFF) == 0) {
      assertThat(inPackets).isEqualTo(atOnce);
    }
  }

  /** What reaches the application. */
  private static List<String> seen(byte[] sent, int packetBytes, int how) {
    WriteGate gate = new WriteGate(WriteGateOptions.within(1 << 20));
    FuzzedService service =
        new FuzzedService(
            ALLOCATOR, MAXIMUM_BYTES, gate.newHandler(), new HttpServerCodec(), aggregator(how));
    for (byte[] packet : Mutations.pieces(sent, 0, packetBytes)) {
      service.deliver(packet);
      if ((how & DISK_IS_QUICK) != 0) {
        DISK.work();
      }
    }
    boolean isCutOff = (how & IS_CUT_OFF) != 0;
    if ((how & (ENDS_ITS_SIDE | FILES)) != 0 && !isCutOff) {
      service.endInput();
    }
    if ((how & FILES) != 0 && !isCutOff) {
      // All is answered before the end.
      await(() -> {
        DISK.work();
        service.passTime();
        return !service.isOpen();
      });
    }
    service.close();
    await(() -> {
      DISK.work();
      return spill.usedBytes() == 0 && POOL.liveBlockBytes() == 0;
    });
    assertThat(gate.queuedBytes()).isZero();
    return service.seen();
  }

  private static BudgetedHttpAggregator aggregator(int how) {
    Admission admission = (how & NO_MEMORY) == 0 ? new WeirAdmission(ALLOCATOR) : FULL;
    return (how & FILES) == 0
        ? new BudgetedHttpAggregator(admission, OPTIONS)
        : new BudgetedHttpAggregator(admission, OPTIONS, spill);
  }

  private static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new AssertionError(
            "hangs with %d bytes in files and %d live"
                .formatted(spill.usedBytes(), POOL.liveBlockBytes()));
      }
      Thread.onSpinWait();
    }
  }

  /**
   * What may wait for the disk waits for the test to do it: an {@code EmbeddedChannel} forgets
   * tasks where other threads bring some, the end of its connection among them.
   */
  private static final class LaterDisk implements Disk {
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    @Override
    public FileChannel open(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      return Disk.SYSTEM.open(path, options, attributes);
    }

    @Override
    public void aside(Runnable task) {
      waiting.add(task);
    }

    void work() {
      for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
        task.run();
      }
    }
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
