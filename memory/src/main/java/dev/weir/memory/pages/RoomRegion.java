package dev.weir.memory.pages;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The region of rooms, tier by tier: which are free, and which have dirty pages.
 *
 * <p>Rooms of a tier are alike, so any free one will do: the one that was closed last has the
 * warmest pages. Not thread-safe: the page heap's lock guards it. What a release calls needs
 * nothing from the Java heap.
 */
final class RoomRegion {
  private final List<Tier> tiers = new ArrayList<>();

  /** Rooms with dirty pages, the one that has been closed longest first. */
  private final RoomList dirtyRooms = new RoomList();

  private long liveBytes;
  private long dirtyBytes;
  private int openRooms;
  private int busyRooms;

  private static final class Tier {
    final long base;
    final long roomBytes;
    final int rooms;

    /** The one that was closed last comes first. */
    final RoomList free = new RoomList();

    /** Every room that has ever been used, by address. */
    final List<Room> all = new ArrayList<>();

    Tier(long base, long roomBytes, int rooms) {
      this.base = base;
      this.roomBytes = roomBytes;
      this.rooms = rooms;
    }
  }

  RoomRegion(GrowthPlan plan, long base) {
    long next = base;
    for (GrowthPlan.Tier tier : plan.tiers()) {
      tiers.add(new Tier(next, tier.roomBytes(), tier.rooms()));
      next += tier.bytes();
    }
  }

  /** Bytes of blocks. */
  long liveBytes() {
    return liveBytes;
  }

  /** Bytes that are free and resident, without those that somebody is purging. */
  long dirtyBytes() {
    return dirtyBytes;
  }

  int openRooms() {
    return openRooms;
  }

  /** Whether a purge or a move is under way: rooms may be free again soon. */
  boolean hasBusyRooms() {
    return busyRooms > 0;
  }

  /** The free room in which a block of so many bytes would begin; null if there is none. */
  @Nullable Room candidate(long bytes) {
    for (int index = 0; index < tiers.size(); index++) {
      Tier tier = tiers.get(index);
      if (bytes <= tier.roomBytes) {
        return candidate(tier, index);
      }
    }
    return null;
  }

  /** Whether a block of so many bytes has a free room, perhaps one that somebody purges. */
  boolean hasFree(long bytes) {
    for (Tier tier : tiers) {
      if (bytes <= tier.roomBytes) {
        return tier.free.size() > 0 || tier.all.size() < tier.rooms;
      }
    }
    return false;
  }

  private static @Nullable Room candidate(Tier tier, int index) {
    for (RoomList.Place place = tier.free.first(); place != null; place = place.next()) {
      if (!place.room.busy) {
        return place.room;
      }
    }
    if (tier.all.size() == tier.rooms) {
      return null;
    }
    Room fresh = new Room(index, tier.base + tier.all.size() * tier.roomBytes, tier.roomBytes);
    tier.all.add(fresh);
    tier.free.addFirst(fresh.amongFree);
    return fresh;
  }

  /** How long the rooms of a tier are; those of lower ones are shorter. */
  long roomBytes(int tier) {
    return tiers.get(tier).roomBytes;
  }

  /** Every room of a tier that has ever been used, by address. The list itself. */
  List<Room> rooms(int tier) {
    return tiers.get(tier).all;
  }

  /** Takes a free room out of the free ones. */
  void take(Room room) {
    if (!tiers.get(room.tier).free.remove(room.amongFree)) {
      throw new IllegalStateException("the room at 0x%x is not free".formatted(room.address()));
    }
    openRooms++;
  }

  /** Puts a room whose block has gone back to the free ones. */
  void giveBack(Room room) {
    tiers.get(room.tier).free.addFirst(room.amongFree);
    openRooms--;
    room.young = true;
    if (dirtyRooms.remove(room.amongDirty)) {
      dirtyRooms.addLast(room.amongDirty);
    }
  }

  /** Sets how much of a room is live, and how much of it resident. */
  void set(Room room, long live, long resident) {
    count(room, live, resident);
    if (resident == live) {
      dirtyRooms.remove(room.amongDirty);
    } else if (!room.amongDirty.isListed()) {
      dirtyRooms.addLast(room.amongDirty);
    }
  }

  private void count(Room room, long live, long resident) {
    liveBytes += live - room.liveBytes;
    dirtyBytes += resident - live - room.dirtyBytes();
    room.liveBytes = live;
    room.residentBytes = resident;
  }

  /** Keeps others away from a room while the lock is not held. */
  void setBusy(Room room) {
    room.busy = true;
    busyRooms++;
  }

  void endBusy(Room room) {
    room.busy = false;
    busyRooms--;
  }

  /** Takes at most so many dirty bytes from the end of the room that has been closed longest. */
  PurgeClaim.@Nullable OfRoom claimOldest(long maxBytes) {
    return claimOldest(maxBytes, /* aged= */ false);
  }

  /** As {@link #claimOldest}, of the rooms that were closed before the last {@link #age}. */
  PurgeClaim.@Nullable OfRoom claimAged(long maxBytes) {
    return claimOldest(maxBytes, /* aged= */ true);
  }

  private PurgeClaim.@Nullable OfRoom claimOldest(long maxBytes, boolean aged) {
    for (RoomList.Place place = dirtyRooms.first(); place != null; place = place.next()) {
      Room room = place.room;
      if (!room.busy && !(aged && room.young)) {
        long to = room.residentBytes;
        long from = Math.max(room.liveBytes, to - maxBytes);
        PurgeClaim.OfRoom claim = new PurgeClaim.OfRoom(this, room, from, to);
        // It stays listed, so that putting the pages back needs nothing from the Java heap.
        count(room, room.liveBytes, from);
        setBusy(room);
        return claim;
      }
    }
    return null;
  }

  /** The pages of a claim have been purged, or are dirty again. */
  void settle(PurgeClaim.OfRoom claim, boolean purged) {
    Room room = claim.room();
    endBusy(room);
    if (!purged) {
      room.young = true;
      count(room, room.liveBytes, claim.to());
    } else if (room.dirtyBytes() == 0) {
      dirtyRooms.remove(room.amongDirty);
    }
  }

  /** Ends the youth of every room. */
  void age() {
    for (RoomList.Place place = dirtyRooms.first(); place != null; place = place.next()) {
      place.room.young = false;
    }
  }

  /** Evaluates: bytes add up, and rooms with dirty pages are listed. Only while none is busy. */
  void checkInvariants() {
    long dirty = 0;
    for (RoomList.Place place = dirtyRooms.first(); place != null; place = place.next()) {
      Room room = place.room;
      if (room.dirtyBytes() <= 0 || room.residentBytes > room.roomBytes()) {
        throw new AssertionError(
            "room of %,d: %,d live, %,d resident, listed as dirty"
                .formatted(room.roomBytes(), room.liveBytes, room.residentBytes));
      }
      dirty += room.dirtyBytes();
    }
    int open = 0;
    for (Tier tier : tiers) {
      open += tier.all.size() - tier.free.size();
      for (RoomList.Place place = tier.free.first(); place != null; place = place.next()) {
        Room room = place.room;
        if (room.liveBytes != 0 || (room.residentBytes > 0 && !room.amongDirty.isListed())) {
          throw new AssertionError(
              "free room: %,d live, %,d resident".formatted(room.liveBytes, room.residentBytes));
        }
      }
    }
    if (dirty != dirtyBytes || open != openRooms) {
      throw new AssertionError(
          "dirty %,d (counted %,d), open %d (counted %d)"
              .formatted(dirty, dirtyBytes, open, openRooms));
    }
  }
}
