package dev.weir.memory.array;

import dev.weir.memory.heap.SizeClasses;

/**
 * The sizes of slots in arrays: those of {@link SizeClasses} from 64 bytes on, since the object of
 * a buffer alone takes 64. The same steps go on up to 1 MiB for arrays of one buffer each, which
 * are kept for reuse. A longer array has the length that was asked for, and is not kept.
 */
public final class ArrayClasses {
  /** The largest slot of an array that several buffers share. */
  public static final int MAX_SLOT_BYTES = SizeClasses.MAX_SLOT_BYTES;

  /** The longest array that is kept for reuse: 1 MiB. */
  public static final int MAX_KEPT_BYTES = 1 << 20;

  /** The class of arrays that are not kept. */
  static final int NOT_KEPT = -1;

  /** How many classes slots of shared arrays have; classes of whole arrays come behind. */
  static final int SLOT_CLASSES = SizeClasses.COUNT;

  /** How many classes there are. */
  static final int COUNT = SLOT_CLASSES + 4 * 8; // four doublings of eight steps

  private static final int MIN_SLOT_BYTES = 64;

  /**
   * The longest array of slots: 256 KiB with its header, which takes 24 bytes at most. A longer one
   * would be humongous where the collector's regions are small, and nothing would move it.
   */
  private static final int MAX_ARRAY_BYTES = (256 << 10) - 24;

  /**
   * The first array of a class in a heap: 128 KiB. Of few buffers a shorter one would hold less,
   * but the sooner an array is exhausted, the sooner another has to be found.
   */
  private static final int FIRST_ARRAY_BYTES = 128 << 10;

  /** A further one is a quarter of what the heap has of the class. */
  private static final int ARRAY_SHARE = 4;

  private ArrayClasses() {}

  /** What a buffer of so many bytes takes, and is charged: the size of its slot or array. */
  public static int chargedBytes(int bytes) {
    return bytes > MAX_KEPT_BYTES ? bytes : slotBytes(classOf(bytes));
  }

  /** The smallest class that holds so many bytes, at most {@link #MAX_KEPT_BYTES}. */
  static int classOf(int bytes) {
    return SizeClasses.classOf(Math.max(bytes, MIN_SLOT_BYTES));
  }

  /** The bytes of a slot of the class. */
  static int slotBytes(int sizeClass) {
    return SizeClasses.slotBytes(sizeClass);
  }

  /**
   * How many slots the next array of a class has: it is as long as all of them.
   *
   * @param presentBytes the arrays of the class that the heap has
   */
  static int slots(int sizeClass, long presentBytes) {
    int slotBytes = slotBytes(sizeClass);
    if (slotBytes >= MAX_SLOT_BYTES) {
      return 1; // Of four, three would fit.
    }
    long bytes = Math.clamp(presentBytes / ARRAY_SHARE, FIRST_ARRAY_BYTES, MAX_ARRAY_BYTES);
    return Math.max(1, (int) bytes / slotBytes);
  }
}
