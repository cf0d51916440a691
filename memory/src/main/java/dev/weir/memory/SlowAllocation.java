package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.BlockFactory;
import dev.weir.memory.heap.GrowingRun;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.SpanSize;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an allocation tries that its heap could not serve at once, before it is refused. */
final class SlowAllocation {
  /** How often a thread makes room and finds that others have taken it. */
  private static final int ROOM_ATTEMPTS = 16;

  /** How often a thread trims all heaps while others take and release blocks behind its back. */
  private static final int TRIM_ROUNDS = 8;

  /**
   * After so many of these in which what is used and what is live do not change it stays as it is:
   * one block may have been released behind the trim's back, and another of its size allocated.
   */
  private static final int QUIET_ROUNDS = 2;

  /** How often what is live is added up before it is believed to leave no room. */
  private static final int LOOKS = 4;

  private SlowAllocation() {}

  /**
   * Purges what the request needs, then takes it from the quarantine of hardened blocks, then asks
   * the heaps for what is free inside them, then those who hold what they can do without. A request
   * that would not fit into an empty pool bothers nobody, and one that a budget below the root
   * refuses only those whose release would help it.
   */
  static <T> @Nullable T tryAllocate(
      PoolCore parts,
      @Nullable OwnedHeap threadHeap,
      long bytes,
      Budget budget,
      BlockFactory<T> factory) {
    OwnedHeap heap = open(threadHeap);
    T object = tryOnce(parts, heap, bytes, budget, factory);
    return object != null ? object : tryAgain(parts, heap, bytes, budget, factory);
  }

  /** As {@link #tryAllocate}, of a slot that the caller's open heap has just refused. */
  static <T> @Nullable T tryAgain(
      PoolCore parts,
      @Nullable OwnedHeap heap,
      long bytes,
      Budget budget,
      BlockFactory<T> factory) {
    return tryWithHelp(parts, bytes, budget, () -> tryOnce(parts, heap, bytes, budget, factory));
  }

  /**
   * As {@link #tryAllocate}, of a block above 64 KiB that can grow, where addresses are left for
   * one.
   */
  static <T> @Nullable T tryAllocateGrowing(
      PoolCore parts,
      @Nullable OwnedHeap threadHeap,
      long bytes,
      Budget budget,
      BlockFactory<T> factory) {
    if (isTooLarge(parts, bytes)) {
      return null;
    }
    OwnedHeap heap = open(threadHeap);
    T object = tryOnceGrowing(parts, heap, bytes, budget, factory);
    return object != null
        ? object
        : tryWithHelp(
            parts, bytes, budget, () -> tryOnceGrowing(parts, heap, bytes, budget, factory));
  }

  /** As {@link #tryAllocate}, but at most purges what the request needs: nobody is bothered. */
  static <T> @Nullable T tryAllocateAtOnce(
      PoolCore parts,
      @Nullable OwnedHeap threadHeap,
      long bytes,
      Budget budget,
      BlockFactory<T> factory) {
    OwnedHeap heap = open(threadHeap);
    T object = tryOnce(parts, heap, bytes, budget, factory);
    if (object != null) {
      return object;
    }
    long chargeBytes = Refusals.chargeBytes(parts.pages(), bytes);
    return !isHopeless(parts, chargeBytes, budget) && budget.hasRoom(chargeBytes)
        ? tryWithRoom(parts, bytes, () -> tryOnce(parts, heap, bytes, budget, factory))
        : null;
  }

  /** As {@link #tryAllocateAtOnce}, of a block that can grow, where addresses are left for one. */
  static <T> @Nullable T tryAllocateGrowingAtOnce(
      PoolCore parts, long bytes, Budget budget, BlockFactory<T> factory) {
    if (isTooLarge(parts, bytes)) {
      return null;
    }
    T object = tryOnceGrowing(parts, /* heap= */ null, bytes, budget, factory);
    if (object != null) {
      return object;
    }
    long chargeBytes = Refusals.chargeBytes(parts.pages(), bytes);
    return !isHopeless(parts, chargeBytes, budget) && budget.hasRoom(chargeBytes)
        ? tryWithRoom(
            parts, bytes, () -> tryOnceGrowing(parts, /* heap= */ null, bytes, budget, factory))
        : null;
  }

  private static @Nullable OwnedHeap open(@Nullable OwnedHeap heap) {
    return heap == null || heap.isClosed() ? null : heap;
  }

  private static <T> @Nullable T tryWithHelp(
      PoolCore parts, long bytes, Budget budget, Supplier<@Nullable T> once) {
    long chargeBytes = Refusals.chargeBytes(parts.pages(), bytes);
    if (isHopeless(parts, chargeBytes, budget)) {
      return null;
    }
    Supplier<@Nullable T> atTheLimit =
        () -> budget.hasRoom(chargeBytes) ? tryAtTheLimit(parts, bytes, once) : null;
    T object = atTheLimit.get();
    return object != null
        ? object
        : parts.reclaimers().serveAfterAsking(chargeBytes, budget, atTheLimit);
  }

  /** Whether no block of that size fits, whatever is released. */
  private static boolean isHopeless(PoolCore parts, long chargeBytes, Budget budget) {
    return budget.refusesForEver(chargeBytes)
        || (chargeBytes > SizeClasses.MAX_SLOT_BYTES
            && chargeBytes > parts.pages().largestRunBytes());
  }

  /** Whether no run of that size fits into the empty pool: it is charged to nobody then. */
  private static boolean isTooLarge(PoolCore parts, long bytes) {
    return Refusals.chargeBytes(parts.pages(), bytes) > parts.pages().largestRunBytes();
  }

  private static <T> @Nullable T tryAtTheLimit(
      PoolCore parts, long bytes, Supplier<@Nullable T> once) {
    T object = tryWithRoom(parts, bytes, once);
    if (object == null && makeAddresses(parts, bytes)) {
      object = tryWithRoom(parts, bytes, once);
    }
    if (object == null && parts.giveUpQuarantine(bytes + parts.pages().pageBytes())) {
      object = tryWithRoom(parts, bytes, once);
    }
    if (object == null) {
      object = tryWithTrims(parts, bytes, laneOf(bytes), () -> tryWithRoom(parts, bytes, once));
    }
    return object;
  }

  /** Whether there may be addresses for the slab of such a block now that there were not. */
  private static boolean makeAddresses(PoolCore parts, long bytes) {
    SpanSize size = bytes <= SizeClasses.MAX_SMALL_BYTES ? SpanSize.SMALL : SpanSize.LARGE;
    return bytes <= SizeClasses.MAX_SLOT_BYTES && parts.pages().dirtyPurges().makeAddresses(size);
  }

  /**
   * Trims one heap after the other, and tries again. Where the blocks that are live leave room for
   * the request, one trim proves nothing as long as others come and go: what they take meanwhile
   * comes out of the room that the trim makes. So nobody else gets room until that is decided.
   */
  private static <T> @Nullable T tryWithTrims(
      PoolCore parts, long moreBytes, Lane lane, Supplier<@Nullable T> attempt) {
    if (!leavesRoom(parts, moreBytes, lane)) {
      parts.trimAndAwaitPurges();
      T result = attempt.get();
      if (result != null || !leavesRoom(parts, moreBytes, lane)) {
        return result; // Nothing may fail from here on: it would be lost.
      }
    }
    parts.pages().exclusiveAdmission().begin(gatheredBytes(parts, moreBytes));
    try {
      return tryGathering(parts, moreBytes, lane, attempt);
    } finally {
      parts.pages().exclusiveAdmission().end();
    }
  }

  /**
   * Trims until that makes room, or nothing seems to change any more: what others release to a heap
   * that has had its turn lies free there.
   */
  private static <T> @Nullable T tryGathering(
      PoolCore parts, long moreBytes, Lane lane, Supplier<@Nullable T> attempt) {
    long usedBytes = parts.pages().usedBytes();
    long liveBytes = parts.liveBlockBytes();
    int quietRounds = 0;
    for (int round = 0; round < TRIM_ROUNDS; round++) {
      parts.trimAndAwaitPurges();
      T result = attempt.get();
      if (result != null) {
        return result;
      }
      long usedBytesBefore = usedBytes;
      usedBytes = parts.pages().usedBytes();
      long liveBytesBefore = liveBytes;
      liveBytes = parts.liveBlockBytes();
      if (!leavesRoom(parts, moreBytes, lane)) {
        return null;
      }
      boolean isQuiet = usedBytes == usedBytesBefore && liveBytes == liveBytesBefore;
      quietRounds = isQuiet ? quietRounds + 1 : 0;
      if (!parts.pages().exclusiveAdmission().renew()) {
        // Others have had their turn, and perhaps what was gathered: this round proves nothing.
        parts.pages().exclusiveAdmission().begin(gatheredBytes(parts, moreBytes));
        quietRounds = 0;
      } else if (quietRounds == QUIET_ROUNDS) {
        return null;
      }
    }
    return null;
  }

  /** Whole pages, and one more: a block may lie on one more than it needs. */
  private static long gatheredBytes(PoolCore parts, long moreBytes) {
    long pageBytes = parts.pages().pageBytes();
    return (Math.ceilDiv(moreBytes, pageBytes) + 1) * pageBytes;
  }

  /**
   * Whether the blocks that are live, and what is promised, leave room for so much more. The blocks
   * are added up slab by slab while others come and go, and one that was counted, released and
   * replaced by another further on counts twice: for as much as was replaced meanwhile, there seems
   * to be less room than there is at any moment. So it has to seem so several times.
   */
  private static boolean leavesRoom(PoolCore parts, long moreBytes, Lane lane) {
    for (int look = 0; look < LOOKS; look++) {
      if (seemsToLeaveRoom(parts, moreBytes, lane)) {
        return true;
      }
    }
    return false;
  }

  private static boolean seemsToLeaveRoom(PoolCore parts, long moreBytes, Lane lane) {
    return parts.liveBlockBytes() + parts.pages().totals().promisedBytes()
        <= parts.pages().promises().largestBytes(lane) - moreBytes;
  }

  /** How an attempt to grow a block has ended that need not be made again. */
  private enum Growth {
    GROWN,
    NO_ADDRESSES
  }

  /**
   * Grows a block with what heaps have to give, and those who hold what they can do without. Nobody
   * is bothered where no addresses are left for it.
   */
  static boolean tryGrow(PoolCore parts, GrowingRun block, long minBytes, Budget budget) {
    if (minBytes > parts.pages().largestRunBytes()) {
      return false;
    }
    long chargeBytes = Refusals.chargeBytes(parts.pages(), minBytes);
    long moreBytes = chargeBytes - block.blockBytes();
    Supplier<@Nullable Growth> attempt =
        () -> {
          if (!block.hasAddresses(minBytes)) {
            return Growth.NO_ADDRESSES;
          }
          if (!budget.hasRoom(moreBytes)) {
            return null;
          }
          Supplier<@Nullable Growth> atOnce =
              () -> block.tryGrowAtOnce(minBytes, budget) ? Growth.GROWN : null;
          return tryWithTrims(parts, moreBytes, Lane.LARGE, atOnce);
        };
    if (isHopeless(parts, chargeBytes, budget)) {
      return false;
    }
    Growth growth = attempt.get();
    if (growth == null) {
      growth = parts.reclaimers().serveAfterAsking(moreBytes, budget, attempt);
    }
    return growth == Growth.GROWN;
  }

  private static Lane laneOf(long bytes) {
    return bytes <= SizeClasses.MAX_SMALL_BYTES ? Lane.SMALL : Lane.LARGE;
  }

  private static <T> @Nullable T tryWithRoom(
      PoolCore parts, long bytes, Supplier<@Nullable T> once) {
    Lane lane = laneOf(bytes);
    long pageBytes = parts.pages().pageBytes();
    long neededBytes = Math.ceilDiv(Math.max(bytes, 1), pageBytes) * pageBytes;
    for (int attempt = 0; attempt < ROOM_ATTEMPTS; attempt++) {
      // A block may lie on one page more than its size needs, or on pages that are live already.
      boolean room =
          parts.pages().dirtyPurges().makeRoom(neededBytes + pageBytes, lane)
              || parts.pages().dirtyPurges().makeRoom(neededBytes, lane);
      T object = once.get();
      if (object != null || !room) {
        return object;
      }
    }
    return null;
  }

  /** One that can grow, or where no addresses are left for it one that cannot. */
  private static <T> @Nullable T tryOnceGrowing(
      PoolCore parts,
      @Nullable OwnedHeap heap,
      long bytes,
      Budget budget,
      BlockFactory<T> factory) {
    T object = GrowingRun.tryAllocate(parts.pages(), parts.growthAid(), bytes, budget, factory);
    return object != null ? object : tryOnce(parts, heap, bytes, budget, factory);
  }

  private static <T> @Nullable T tryOnce(
      PoolCore parts,
      @Nullable OwnedHeap heap,
      long bytes,
      Budget budget,
      BlockFactory<T> factory) {
    if (bytes < 0) {
      throw new IllegalArgumentException("size is negative: " + bytes);
    }
    if (bytes > SizeClasses.MAX_SLOT_BYTES) {
      if (isTooLarge(parts, bytes)) {
        return null;
      }
      if (heap != null) {
        heap.beforeRun(bytes);
      }
      return parts.runs().tryAllocate(bytes, budget, factory);
    }
    int sizeClass = SizeClasses.classOf((int) Math.max(bytes, 1));
    if (heap != null) {
      return heap.tryAllocate(sizeClass, budget, factory);
    }
    int slotBytes = SizeClasses.slotBytes(sizeClass);
    if (!budget.tryCharge(slotBytes)) {
      return null;
    }
    T object = null;
    try {
      object = parts.shared().tryAllocate(sizeClass, factory);
    } finally {
      if (object == null) {
        budget.uncharge(slotBytes);
      }
    }
    return object;
  }
}
