package dev.weir.memory.pages;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.sync.SpinLock;
import dev.weir.memory.sync.StackRoom;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that grow without being copied: each begins a {@link Room}, takes more of its pages, and
 * where it has become longer than the room its pages move to a longer one.
 *
 * <p>Thread-safe; a room whose block is live is used by one thread at a time. Lengths are in bytes,
 * in whole pages of the page heap.
 */
/*
 * A move. Under the lock, the target is taken and the pages that the block grows by become live there; without the
 * lock, the system moves the pages, or copies them; under the lock again, the target takes over what was moved, and
 * the source is free. Both rooms are busy meanwhile: nobody purges in them. Where the pages are copied, the source
 * is still live: so the limit must have room for both.
 */
public final class RoomHeap {
  private final NativeMemory os;
  private final SpinLock lock;
  private final PageState state;
  private final RoomRegion region;
  private final RoomMove move;
  private final ResidentLedger ledger;
  private final DirtyPurges purges;
  private final PageHeapEvents events;

  RoomHeap(
      NativeMemory os,
      SpinLock lock,
      PageState state,
      ResidentLedger ledger,
      DirtyPurges purges,
      PageHeapEvents events) {
    this.os = os;
    this.lock = lock;
    this.state = state;
    this.region = state.rooms();
    this.move = new RoomMove(os, region);
    this.ledger = ledger;
    this.purges = purges;
    this.events = events;
  }

  /**
   * Begins a block; null if the limit has no room, or no room is free.
   *
   * @param lane of the promise that covers it, {@link Lane#LARGE} if there is none; here and below
   */
  public @Nullable Room tryOpen(long bytes, Lane lane) {
    StackRoom.requireForAwaited();
    Room room = takeRoom(bytes, null, lane);
    if (room != null) {
      tellOfGrowth();
    }
    return room;
  }

  /**
   * Takes a room and makes its pages live, from those on that {@code from} keeps for it; both are
   * busy then.
   */
  private @Nullable Room takeRoom(long bytes, @Nullable Room from, Lane lane) {
    long keptBytes = from == null ? 0 : from.liveBytes;
    while (true) {
      PurgeBatch batch = null;
      lock.lock();
      try {
        if (!admits(bytes - keptBytes, lane)) {
          return null;
        }
        Room room = region.candidate(bytes);
        if (room == null && !region.hasBusyRooms()) {
          return null;
        }
        if (room != null && (from == null || !from.busy)) {
          long excess = excess(cleanBytes(room, keptBytes, bytes), lane);
          if (excess <= 0) {
            region.take(room);
            if (from == null) {
              makeLive(room, bytes);
            } else {
              countLive(room, keptBytes, bytes);
              region.setBusy(from);
              region.setBusy(room);
            }
            pay(room, bytes - keptBytes, lane);
            return room;
          }
          batch = state.claimDirty(excess);
        }
      } finally {
        lock.unlock();
      }
      purges.settleOrGiveWay(batch);
    }
  }

  /**
   * Lengthens a block in its room.
   *
   * @param bytes more than it has now, at most the room's length
   * @return whether the limit had room
   */
  public boolean tryExtend(Room room, long bytes, Lane lane) {
    StackRoom.requireForAwaited();
    while (true) {
      PurgeBatch batch = null;
      lock.lock();
      try {
        if (!admits(bytes - room.liveBytes, lane)) {
          return false;
        }
        if (!room.busy) {
          long excess = excess(cleanBytes(room, room.liveBytes, bytes), lane);
          if (excess <= 0) {
            pay(room, bytes - room.liveBytes, lane);
            makeLive(room, bytes);
            break;
          }
          batch = state.claimDirty(excess);
        }
      } finally {
        lock.unlock();
      }
      purges.settleOrGiveWay(batch);
    }
    tellOfGrowth();
    return true;
  }

  /** Ends a block. */
  public void close(Room room) {
    close(room, Lane.LARGE);
  }

  /** Ends a block that has not been used: what was promised for it is promised again. */
  public void undoOpen(Room room, Lane lane) {
    close(room, lane);
  }

  private void close(Room room, Lane promisedAgain) {
    boolean dirtyHigh;
    lock.lock();
    try {
      pay(room, -room.liveBytes, promisedAgain);
      free(room);
      dirtyHigh = state.isDirtyHigh();
    } finally {
      lock.unlock();
    }
    events.freed(dirtyHigh);
  }

  /**
   * Lengthens a block beyond its room.
   *
   * @param bytes more than the room's length
   * @return where it is now; null if the limit has no room, or no room of that length is free, and
   *     nothing has changed
   */
  public @Nullable Room tryMove(Room from, long bytes, Lane lane) {
    StackRoom.requireForAwaited(); // All would wait for rooms that stay busy.
    Room to = takeRoom(bytes, from, lane);
    if (to == null) {
      return null;
    }
    boolean admitted = false;
    boolean done = false;
    try {
      if (move.tryMove(from, to)) {
        finishMove(from, to, bytes);
        done = true;
      } else if (tryAdmitCopy(to, from.liveBytes)) {
        admitted = true;
        os.copy(from.address(), to.address(), from.liveBytes);
        finishCopy(from, to, bytes);
        done = true;
      }
    } finally {
      if (!done) {
        if (admitted) {
          undoCopy(to, from.liveBytes);
        }
        undo(from, to, bytes, lane);
      }
    }
    tellOfGrowth();
    events.roomFreed();
    return done ? to : null;
  }

  /**
   * Whether a block has addresses to become so long: in its room, or in a longer one that is free
   * now. Where it has none, no memory that others release helps it.
   */
  public boolean hasAddresses(Room room, long bytes) {
    if (bytes <= room.roomBytes()) {
      return true;
    }
    lock.lock();
    try {
      return region.hasFree(bytes);
    } finally {
      lock.unlock();
    }
  }

  private void finishMove(Room from, Room to, long bytes) {
    lock.lock();
    try {
      long keptBytes = from.liveBytes;
      long countedDirty = from.dirtyBytes() + to.residentBytes - dirtyBytes(to, keptBytes, bytes);
      long resident = Math.max(bytes, Math.max(from.residentBytes, to.residentBytes));
      region.set(from, 0, 0);
      region.set(to, bytes, resident);
      // What was resident in the target where the pages have moved is gone.
      ledger.purged(countedDirty - to.dirtyBytes());
      handOnPayment(from, to);
      region.giveBack(from);
      endBusy(from, to);
    } finally {
      lock.unlock();
    }
  }

  /** Counts the beginning of the target as live too; false if the limit has no room for both. */
  private boolean tryAdmitCopy(Room to, long keptBytes) {
    while (true) {
      PurgeBatch batch;
      lock.lock();
      try {
        if (!ledger.admits(keptBytes, Lane.LARGE)) {
          return false;
        }
        long excess = ledger.excess(cleanBytes(to, 0, keptBytes));
        if (excess <= 0) {
          countLive(to, 0, keptBytes);
          return true;
        }
        batch = state.claimDirty(excess);
        if (batch == null && !state.hasClaims()) {
          // What is dirty lies in busy rooms, perhaps in these two: waiting would be for ever.
          return false;
        }
      } finally {
        lock.unlock();
      }
      if (batch == null) {
        SpinLock.giveWayMounted(); // Others may wait for the rooms that are busy meanwhile.
      } else {
        purges.settleOrGiveWay(batch);
      }
    }
  }

  private void finishCopy(Room from, Room to, long bytes) {
    lock.lock();
    try {
      region.set(to, bytes, Math.max(bytes, to.residentBytes));
      handOnPayment(from, to);
      free(from);
      endBusy(from, to);
    } finally {
      lock.unlock();
    }
  }

  /** A copy that was admitted has failed: what it may have touched is dirty. */
  private void undoCopy(Room to, long keptBytes) {
    lock.lock();
    try {
      ledger.free(keptBytes);
      region.set(to, 0, Math.max(keptBytes, to.residentBytes));
    } finally {
      lock.unlock();
    }
  }

  /** Nothing has been moved. */
  private void undo(Room from, Room to, long bytes, Lane lane) {
    lock.lock();
    try {
      pay(to, from.liveBytes - bytes, lane);
      long dirty = dirtyBytes(to, from.liveBytes, bytes);
      ledger.free(dirty);
      ledger.purgedLive(bytes - from.liveBytes - dirty);
      endBusy(from, to);
      region.giveBack(to);
    } finally {
      lock.unlock();
    }
  }

  private boolean admits(long bytes, Lane lane) {
    return lane.isPromise() || ledger.admits(bytes, lane);
  }

  /** What must be purged first. A promise is kept above a limit that was lowered since. */
  private long excess(long cleanBytes, Lane lane) {
    if (!lane.isPromise()) {
      return ledger.excess(cleanBytes);
    }
    return ledger.dirtyBytes() == 0 ? 0 : ledger.excessOfPromised(cleanBytes);
  }

  /** Takes so many bytes, which have become live, out of the promise that covers them. */
  private void pay(Room room, long bytes, Lane lane) {
    if (lane.isPromise()) {
      ledger.keepPromise(bytes);
      room.smallPromiseBytes += lane.isSmallPromise() ? bytes : 0;
    }
  }

  private static void handOnPayment(Room from, Room to) {
    to.smallPromiseBytes += from.smallPromiseBytes;
    from.smallPromiseBytes = 0;
  }

  private void endBusy(Room from, Room to) {
    region.endBusy(from);
    region.endBusy(to);
  }

  private void makeLive(Room room, long bytes) {
    countLive(room, room.liveBytes, bytes);
    region.set(room, bytes, Math.max(bytes, room.residentBytes));
  }

  private void countLive(Room room, long from, long to) {
    ledger.allocate(cleanBytes(room, from, to), dirtyBytes(room, from, to));
  }

  private void free(Room room) {
    ledger.free(room.liveBytes);
    ledger.freed(room.smallPromiseBytes, Lane.SMALL_PROMISE);
    room.smallPromiseBytes = 0;
    region.set(room, 0, room.residentBytes);
    region.giveBack(room);
  }

  /** How many bytes of a range are not resident. */
  private static long cleanBytes(Room room, long from, long to) {
    return Math.max(0, to - Math.max(from, room.residentBytes));
  }

  private static long dirtyBytes(Room room, long from, long to) {
    return to - from - cleanBytes(room, from, to);
  }

  private void tellOfGrowth() {
    boolean surveyDue;
    boolean leavesBand;
    lock.lock();
    try {
      surveyDue = state.isSurveyDue();
      leavesBand = ledger.leavesBand();
    } finally {
      lock.unlock();
    }
    events.grown(surveyDue, leavesBand);
  }
}
