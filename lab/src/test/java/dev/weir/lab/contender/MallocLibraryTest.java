package dev.weir.lab.contender;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.memory.AddressRange;
import dev.weir.lab.memory.LivePages;
import dev.weir.lab.memory.RangeRss;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the calls do, in each of the libraries that this machine has. */
@SuppressWarnings("restricted") // addresses come from the libraries
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class MallocLibraryTest {
  /** More than any of them keeps for itself: the C library maps and unmaps from 32 MiB on. */
  private static final int LARGE_BYTES = 40 << 20;

  private static final long PAGE_BYTES = LivePages.PAGE_BYTES;

  static Stream<MallocLibrary> libraries() {
    return Stream.of(
        MallocLibrary.GLIBC,
        MallocLibrary.MIMALLOC,
        MallocLibrary.JEMALLOC,
        MallocLibrary.TCMALLOC);
  }

  /** Those that purge by themselves, at once or by the time that passed, as they are called. */
  static Stream<MallocLibrary> purging() {
    return libraries().filter(library -> library != MallocLibrary.TCMALLOC);
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void whatIsWrittenStaysThroughGrowthAndGoesBackOnAnotherThread(MallocLibrary library)
      throws Throwable {
    Optional<MallocLibrary.Functions> loaded = load(library);
    if (loaded.isEmpty()) {
      return;
    }
    MallocLibrary.Functions functions = loaded.get();
    for (long bytes = 1; bytes <= 16 << 20; bytes *= 4) {
      long address = (long) functions.malloc().invokeExact(bytes);
      assertThat(address).isNotZero();
      memory(address, bytes).fill((byte) 7);
      long moved = (long) functions.realloc().invokeExact(address, 2 * bytes);
      assertThat(moved).isNotZero();
      MemorySegment grown = memory(moved, 2 * bytes);
      assertThat(grown.get(JAVA_BYTE, 0)).isEqualTo((byte) 7);
      assertThat(grown.get(JAVA_BYTE, bytes - 1)).isEqualTo((byte) 7);
      grown.fill((byte) 8);
      CompletableFuture.runAsync(() -> release(functions, moved)).join();
    }
  }

  @ParameterizedTest
  @MethodSource("purging")
  @EnabledOnOs(OS.LINUX)
  void whatIsReleasedGoesBackToTheKernel(MallocLibrary library) throws IOException {
    Optional<MallocLibrary.Functions> loaded = load(library);
    if (loaded.isEmpty()) {
      return;
    }
    MallocStore store = new MallocStore(loaded.get(), 4L * LARGE_BYTES);
    List<AddressRange> blocks = new ArrayList<>();
    for (int slot = 0; slot < 2; slot++) {
      long address = store.allocate(slot, LARGE_BYTES);
      memory(address, LARGE_BYTES).fill((byte) 1);
      blocks.add(wholePages(address));
    }
    long held = rssBytes(blocks);
    assertThat(held).isGreaterThanOrEqualTo(2 * (LARGE_BYTES - 2 * PAGE_BYTES));
    store.release(0);
    store.release(1);
    while (rssBytes(blocks) > held - LARGE_BYTES) {
      assertThat(Thread.interrupted()).as("%s keeps it", library.title()).isFalse();
      store.allocate(0, 256);
      store.release(0);
    }
  }

  /** Of these addresses alone: the rest of this JVM takes and gives back what it likes. */
  private static long rssBytes(List<AddressRange> blocks) throws IOException {
    RangeRss rss = new RangeRss();
    long bytes = 0;
    for (AddressRange block : blocks) {
      bytes += rss.bytes(block);
    }
    return bytes;
  }

  private static AddressRange wholePages(long address) {
    long start = Math.ceilDiv(address, PAGE_BYTES) * PAGE_BYTES;
    long end = Math.floorDiv(address + LARGE_BYTES, PAGE_BYTES) * PAGE_BYTES;
    return new AddressRange(start, end - start);
  }

  private static Optional<MallocLibrary.Functions> load(MallocLibrary library) {
    try {
      return Optional.of(library.load());
    } catch (ContenderMissingException missing) {
      assertThat(missing.getMessage()).contains("apt install lib");
      return Optional.empty();
    }
  }

  private static void release(MallocLibrary.Functions functions, long address) {
    try {
      functions.free().invokeExact(address);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static MemorySegment memory(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }
}
