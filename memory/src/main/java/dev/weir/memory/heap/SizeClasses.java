package dev.weir.memory.heap;

import dev.weir.memory.pages.SpanSize;

/**
 * The sizes of slots: multiples of 16 up to 128 bytes, then eight steps per doubling up to 64 KiB.
 * A request above 128 bytes gets at most 12.5 % more than it asked for. Arithmetic, without tables.
 *
 * <pre>
 *   class   0 …  7 :  16, 32, … 128
 *   class   8 … 15 :  144, 160, … 256       (steps of 16)
 *   class  16 … 23 :  288, 320, … 512       (steps of 32)
 *   …
 *   class  72 … 79 :  36,864 … 65,536       (steps of 4,096)
 * </pre>
 */
public final class SizeClasses {
  /** How many classes there are. */
  public static final int COUNT = 80;

  /** The largest slot, in bytes; what is larger is a run. */
  public static final int MAX_SLOT_BYTES = 64 * 1024;

  /**
   * The largest slot of a small span, in bytes; up to this size a block may use the small reserve.
   */
  public static final int MAX_SMALL_BYTES = 4 * 1024;

  private static final int LINEAR_CLASSES = 8;
  private static final int LINEAR_STEP_SHIFT = 4;
  private static final int LINEAR_MAX_SHIFT = 7;
  private static final int STEPS_SHIFT = 3;
  private static final int STEPS_MASK = (1 << STEPS_SHIFT) - 1;

  /** The leading zeros of the numbers 128 to 255: one less for each further doubling. */
  private static final int FIRST_LEADING_ZEROS = Integer.SIZE - 1 - LINEAR_MAX_SHIFT;

  private SizeClasses() {}

  /**
   * The smallest class whose slots hold so many bytes, for 1 ≤ {@code bytes} ≤ {@link
   * #MAX_SLOT_BYTES}.
   */
  public static int classOf(int bytes) {
    // Without a branch: on which side of 128 bytes requests are is a coin's toss for some users.
    int last = bytes - 1;
    int doubling = FIRST_LEADING_ZEROS - Integer.numberOfLeadingZeros(last | 1 << LINEAR_MAX_SHIFT);
    return (last >> (doubling + LINEAR_STEP_SHIFT)) + (doubling << STEPS_SHIFT);
  }

  /** The bytes of a slot of the class, for 0 ≤ {@code sizeClass} &lt; {@link #COUNT}. */
  public static int slotBytes(int sizeClass) {
    if (sizeClass < LINEAR_CLASSES) {
      return (sizeClass + 1) << LINEAR_STEP_SHIFT;
    }
    int doubling = LINEAR_MAX_SHIFT + ((sizeClass - LINEAR_CLASSES) >> STEPS_SHIFT);
    int step = (sizeClass - LINEAR_CLASSES) & STEPS_MASK;
    return (1 << doubling) + ((step + 1) << (doubling - STEPS_SHIFT));
  }

  /** The size of the spans that slots of the class are cut from. */
  static SpanSize spanSize(int sizeClass) {
    return slotBytes(sizeClass) <= MAX_SMALL_BYTES ? SpanSize.SMALL : SpanSize.LARGE;
  }
}
