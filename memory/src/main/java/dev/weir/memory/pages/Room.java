package dev.weir.memory.pages;

/**
 * Addresses for one block that grows: the block lies at their beginning, and pages behind it become
 * live as it grows. Those of earlier blocks that were longer may still be dirty.
 *
 * <pre>
 *   0           live            resident             roomBytes
 *   |  in use    |  dirty        |  clean                |
 * </pre>
 *
 * <p>All fields but the place belong to the page heap's lock.
 */
public final class Room {
  final int tier;
  private final long address;
  private final long roomBytes;

  /** What is in use; 0 while the room is free. */
  long liveBytes;

  /** Nothing behind it is resident. */
  long residentBytes;

  /** Of what is in use: what small promises have paid for. */
  long smallPromiseBytes;

  /** A thread purges or moves pages of it, without the lock. */
  boolean busy;

  /** Closed since the last {@link RoomRegion#age}. */
  boolean young;

  /** Among the free rooms of its tier. */
  final RoomList.Place amongFree = new RoomList.Place(this);

  /** Among the rooms with dirty pages. */
  final RoomList.Place amongDirty = new RoomList.Place(this);

  Room(int tier, long address, long roomBytes) {
    this.tier = tier;
    this.address = address;
    this.roomBytes = roomBytes;
  }

  /** Where it begins. */
  public long address() {
    return address;
  }

  /** The longest that a block in it can become. */
  public long roomBytes() {
    return roomBytes;
  }

  long dirtyBytes() {
    return residentBytes - liveBytes;
  }
}
