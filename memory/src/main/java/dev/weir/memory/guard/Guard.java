package dev.weir.memory.guard;

import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.Misuse.Kind;
import dev.weir.memory.os.AddressSpace;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one hardened block: pages of its own, seen through a segment that its release
 * closes. In front of the block, and behind it to the end of its pages, lies a canary.
 *
 * <p>Any thread may release it; of two releases, racing ones too, one is refused. The pages stay
 * mapped whatever happens: native code that holds the address never faults.
 */
/*
 * Life cycle.
 *
 *            claimRelease, finishRelease                     tryClose                     free
 *   LIVE ──────────────────────────────────> in quarantine ──────────> closed, poisoned ──────> pages are free
 *           the canary is looked at                                       poison and canary are looked at
 */
public final class Guard {
  private static final VarHandle CLAIMED;

  static {
    try {
      CLAIMED = MethodHandles.lookup().findVarHandle(Guard.class, "claimed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The most that is overwritten at a release: some fifty microseconds. */
  private static final long MAX_POISONED_BYTES = 1 << 20;

  private final Hardener hardener;
  private final PageHeap pages;
  private final BlockHistory history;
  private final long address;
  private final long bytes;
  private final long runAddress;
  private final long runBytes;
  private final Lane lane;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment segment;

  @SuppressWarnings("UnusedVariable") // through CLAIMED
  private boolean claimed;

  /** How much of the block has been overwritten; written before it enters the quarantine. */
  private long poisonedBytes;

  private long damagedOffset;

  /** The next in the quarantine, under its lock. */
  @Nullable Guard next;

  /**
   * Guards a run.
   *
   * @param leadBytes how far behind the start of the run the block begins
   * @param lane of the promise that it was allocated from
   */
  Guard(
      Hardener hardener,
      PageHeap pages,
      BlockHistory history,
      long runAddress,
      long runBytes,
      long leadBytes,
      Lane lane) {
    this.lane = lane;
    this.hardener = hardener;
    this.pages = pages;
    this.history = history;
    this.runAddress = runAddress;
    this.address = runAddress + leadBytes;
    this.bytes = history.bytes();
    this.runBytes = runBytes;
    this.segment = AddressSpace.scoped(address, bytes, arena, pages.reservation());
    Canary.BESIDE.write(runAddress, address);
    Canary.BESIDE.write(address + bytes, runEnd());
  }

  private long runEnd() {
    return runAddress + runBytes;
  }

  /**
   * Initializes what guards use: a class whose first use meets a full Java heap, or the end of a
   * stack, is lost for good.
   *
   * @throws UnsupportedOperationException in a native image that cannot close shared arenas
   */
  static void load() {
    Canary.RELEASED.write(0, 0);
    requireSharedArenas(() -> Arena.ofShared().close());
  }

  /** Says what to do where {@code use} ends with the error of a native image. */
  static void requireSharedArenas(Runnable use) {
    try {
      use.run();
    } catch (Error e) {
      if (!e.getClass().getSimpleName().equals("UnsupportedFeatureError")) {
        throw e;
      }
      throw new UnsupportedOperationException(
          "hardening closes shared arenas, which this native image cannot:"
              + " build it with -H:+SharedArenaSupport, or create the pool without hardening",
          e);
    }
  }

  /** The first byte of the block. */
  public long address() {
    return address;
  }

  /** The first byte of its pages. */
  public long runAddress() {
    return runAddress;
  }

  /** The bytes of the block: those that were asked for. */
  public long bytes() {
    return bytes;
  }

  /** The pages, in bytes. */
  public long runBytes() {
    return runBytes;
  }

  /** The block; closed when it is released. */
  public MemorySegment segment() {
    return segment;
  }

  /** Whether a segment, or the buffer that it was made of, is of this block. */
  boolean isSeenBy(MemorySegment other) {
    return other.scope().equals(segment.scope());
  }

  /** Who allocated it, and who released it. */
  public BlockHistory history() {
    return history;
  }

  /**
   * Begins the release; {@link #finishRelease} must follow. Any thread.
   *
   * @throws IllegalStateException if it has been released already
   */
  public void claimRelease() {
    if (!CLAIMED.compareAndSet(this, false, true)) {
      throw history.misused(Kind.SECOND_RELEASE, "second release of a block");
    }
    history.release();
  }

  /**
   * Ends the release. From now on the block is closed, or will be as soon as nobody uses it and,
   * where only a sample is hardened, the pool's own thread has come to it.
   */
  public void finishRelease() {
    long begunNanos = System.nanoTime();
    long before = Canary.BESIDE.firstDamaged(runAddress, address);
    boolean isUnderrun = before < address;
    if (isUnderrun) {
      Canary.BESIDE.write(runAddress, address);
    }
    long behind = Canary.BESIDE.firstDamaged(address + bytes, runEnd());
    boolean isOverrun = behind < runEnd();
    if (isOverrun) {
      Canary.BESIDE.write(address + bytes, runEnd());
    }
    try {
      if (hardener.isFull()) {
        tryClose();
      }
      hardener.ended(this);
      hardener.quarantine().add(this);
    } finally {
      // Last: what it takes to say so may fail, and must not keep the pages.
      if (isUnderrun) {
        history.tellOfByte(
            Kind.UNDERRUN,
            "byte %,d in front of the start of a block was written",
            address - before);
      }
      if (isOverrun) {
        history.tellOfByte(
            Kind.OVERRUN,
            "byte %,d behind the end of a block was written",
            behind - address - bytes);
      }
    }
    hardener.releaseTook(System.nanoTime() - begunNanos);
  }

  boolean isClosed() {
    return !arena.scope().isAlive();
  }

  /**
   * Closes the segment: a handshake with every thread of the process. Fails while a system call
   * uses a view of it. One thread at a time.
   *
   * @return whether it is closed
   */
  boolean tryClose() {
    long begunNanos = System.nanoTime();
    try {
      arena.close();
    } catch (IllegalStateException e) {
      if (!isClosed()) {
        return false;
      }
    }
    hardener.closingTook(System.nanoTime() - begunNanos);
    if (hardener.poisons()) {
      poisonedBytes = Math.min(bytes, MAX_POISONED_BYTES);
      Canary.RELEASED.write(address, address + poisonedBytes);
    }
    return true;
  }

  /** Whether bytes were written while it rested, as far as that can be told. */
  boolean isDamaged() {
    long damaged = Canary.RELEASED.firstDamaged(address, address + poisonedBytes);
    if (damaged == address + poisonedBytes) {
      damaged = Canary.BESIDE.firstDamaged(address + bytes, runEnd());
    }
    if (damaged == runEnd()) {
      long before = Canary.BESIDE.firstDamaged(runAddress, address);
      damaged = before == address ? damaged : before;
    }
    damagedOffset = damaged - address;
    return damaged < runEnd();
  }

  /** Tells of the damage that {@link #isDamaged} has found. */
  void reportDamage() {
    history.tellOfByte(
        Kind.WRITE_AFTER_RELEASE,
        "byte %,d of a block was written after its release",
        damagedOffset);
  }

  /** Gives the pages back of a block that nobody has seen. */
  public void undoRun() {
    pages.runs().undo(runAddress, runBytes, lane);
  }

  /**
   * Gives the pages back, without a system call.
   *
   * @return how many bytes {@link #purgeFor} is due for, once no lock is held
   */
  long free() {
    return pages.runs().freeAtOnce(runAddress, runBytes, lane) ? runBytes : 0;
  }

  /** Makes the system calls that pages given back leave to be made. */
  void purgeFor(long freedBytes) {
    if (freedBytes > 0) {
      pages.runs().purgeFor(freedBytes);
    }
  }
}
