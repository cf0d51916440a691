package dev.weir.streams.segments;

/**
 * CRC32C of strides that follow each other, from those of each. The checksum of two pieces is that
 * of the first, with as many zero bits behind it as the second has, xor that of the second (Adler,
 * {@code crc32_combine} of zlib): and zeros behind are a matrix over the field of two elements.
 */
final class StrideCombination {
  /** Castagnoli's polynomial, its bits reversed. */
  private static final int POLYNOMIAL = 0x82F63B78;

  /** What a stride of zeros behind does to each bit of a checksum. */
  private static final int[] ZEROS_BEHIND = zerosBehind(SegmentLayout.STRIDE_BYTES * 8);

  private StrideCombination() {}

  /** The checksum of both, of which the second is a whole stride. */
  static int combine(int first, int second) {
    return times(ZEROS_BEHIND, first) ^ second;
  }

  private static int[] zerosBehind(int bits) {
    int[] matrix = new int[Integer.SIZE];
    matrix[0] = POLYNOMIAL;
    for (int bit = 1; bit < matrix.length; bit++) {
      matrix[bit] = 1 << (bit - 1);
    }
    for (int power = 1; power < bits; power *= 2) {
      int[] square = new int[matrix.length];
      for (int bit = 0; bit < square.length; bit++) {
        square[bit] = times(matrix, matrix[bit]);
      }
      matrix = square;
    }
    return matrix;
  }

  private static int times(int[] matrix, int vector) {
    int product = 0;
    for (int rest = vector; rest != 0; rest &= rest - 1) {
      product ^= matrix[Integer.numberOfTrailingZeros(rest)];
    }
    return product;
  }
}
