package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.testing.CountedMoves;
import dev.weir.memory.testing.DelegatingNativeMemory;
import dev.weir.memory.testing.Patterns;
import dev.weir.memory.testing.Smaps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Blocks that grow through ranges of every length, on real memory. */
class GrowingBlockTest {
  private static final long MIB = 1 << 20;
  private static final long LIMIT_BYTES = 700 * MIB;

  /** What the system can do. */
  enum Kind {
    MOVES,
    COPIES
  }

  /** The system's memory, of which pages cannot be moved. */
  private static final class Unmovable extends DelegatingNativeMemory {
    Unmovable(NativeMemory os) {
      super(os);
    }

    @Override
    public boolean tryMove(long from, long to, long bytes) {
      return false;
    }
  }

  private static Pool pool(NativeMemory os) {
    return Pool.create(
        PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(os));
  }

  private static long rssBytes(Pool pool) {
    return Smaps.residentBytes(pool.reservationAddress(), pool.reservationBytes());
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void contentsSurviveEveryStep(Kind kind) {
    NativeMemory os = NativeMemory.system();
    Pool pool = pool(kind == Kind.MOVES ? os : new Unmovable(os));
    for (int round = 0; round < 2; round++) {
      Block block = pool.allocateGrowing(70_000, pool.rootBudget());
      long number = 1;
      Patterns.fill(block, number);
      for (long bytes = 2 * 70_000; bytes <= 300 * MIB; bytes = bytes * 3 / 2) {
        long before = block.size();
        assertThat(block.tryGrow(bytes)).isTrue();
        Patterns.verify(block, number, before);
        Patterns.fill(block, ++number);
      }
      assertThat(pool.liveBlockBytes()).isEqualTo(block.size());
      block.release();
    }
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  /** A block that is copied has its contents too: only the system knows. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void pagesAreMovedAndNoByteIsCopied() {
    CountedMoves os = new CountedMoves();
    Pool pool = pool(os);
    Block block = pool.allocateGrowing(70_000, pool.rootBudget());
    List<Long> addresses = new ArrayList<>(List.of(block.address()));
    for (long bytes = 128 << 10; bytes <= 512 * MIB; bytes *= 2) {
      assertThat(block.tryGrow(bytes)).isTrue();
      block.segment().set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 1);
      if (block.address() != addresses.getLast()) {
        addresses.add(block.address());
      }
    }
    assertThat(addresses).as("at 4 and at 256 MiB to a longer range").hasSize(3);
    assertThat(os.moves()).isGreaterThanOrEqualTo(2);
    assertThat(os.refusedMoves()).isZero();
    assertThat(os.copies()).isZero();
    block.release();
    pool.close();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theKernelCountsTheContentAndLittleElse() {
    Pool pool = pool(NativeMemory.system());
    Block block = pool.allocateGrowing(70_000, pool.rootBudget());
    long written = 0;
    for (long capacity = 128 << 10; capacity <= 512 * MIB; capacity *= 2) {
      assertThat(block.tryGrow(capacity)).isTrue();
      MemorySegment segment = block.segment();
      long target = capacity * 3 / 4;
      for (; written < target; written += 4096) {
        segment.set(ValueLayout.JAVA_BYTE, written, (byte) 1);
      }
      assertThat(rssBytes(pool)).as("of %d bytes", written).isLessThanOrEqualTo(written + 4096);
      assertThat(rssBytes(pool)).isLessThanOrEqualTo(pool.residentBytes());
      assertThat(pool.residentBytes()).as("its charge is its capacity").isEqualTo(capacity);
    }
    block.release();
    pool.trim();
    assertThat(rssBytes(pool)).isZero();
    pool.close();
  }

  /** Each move splits the kernel's mapping, and a process may have no more than 65,530 of them. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void movesDoNotAddMappingsForEver() throws Exception {
    Pool pool = pool(NativeMemory.system());
    growAndRelease(pool);
    int mappings = mappings(pool);
    for (int i = 0; i < 20; i++) {
      growAndRelease(pool);
    }
    assertThat(mappings(pool)).isEqualTo(mappings);
    pool.close();
  }

  /** One touch could fault 2 MiB in: {@code nh} keeps huge pages away, whatever the machine has. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void noMappingMayHaveHugePagesAlsoAfterMoves() {
    assumeTrue(
        Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage")),
        "this kernel has no transparent huge pages");
    Pool pool = pool(NativeMemory.system());
    pool.allocate(100_000).release();
    assertThat(flags(pool)).hasSize(1).allSatisfy(flags -> assertThat(flags).contains("nh"));

    growAndRelease(pool);

    assertThat(flags(pool))
        .hasSizeGreaterThan(1)
        .allSatisfy(flags -> assertThat(flags).contains("nh"));
    pool.close();
  }

  private static List<Set<String>> flags(Pool pool) {
    return Smaps.flags(pool.reservationAddress(), pool.reservationBytes());
  }

  private static void growAndRelease(Pool pool) {
    Block first = pool.allocateGrowing(100_000, pool.rootBudget());
    Block second = pool.allocateGrowing(100_000, pool.rootBudget());
    for (long bytes = MIB; bytes < 300 * MIB; bytes *= 2) {
      assertThat(first.tryGrow(bytes)).isTrue();
      assertThat(second.tryGrow(bytes)).isTrue();
      first.segment().set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 1);
    }
    second.release();
    first.release();
  }

  private static int mappings(Pool pool) throws Exception {
    long from = pool.reservationAddress();
    long to = from + pool.reservationBytes();
    return (int)
        Files.readAllLines(Path.of("/proc/self/maps")).stream()
            .mapToLong(line -> Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16))
            .filter(address -> address >= from && address < to)
            .count();
  }
}
