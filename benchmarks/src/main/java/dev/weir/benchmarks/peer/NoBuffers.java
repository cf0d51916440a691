package dev.weir.benchmarks.peer;

import java.lang.foreign.Arena;

/**
 * No allocator: one piece of memory that is always there. What a pattern costs with it is what the
 * harness itself costs.
 */
final class NoBuffers extends Buffers<NoBuffers.Place> {
  private static final long MEMORY_BYTES = 128L << 20;

  private final long address = Arena.global().allocate(MEMORY_BYTES).address();
  private final Place place = new Place();

  private NoBuffers() {}

  static Buffers<?> create() {
    return new NoBuffers();
  }

  @Override
  public Place allocate(int bytes) {
    return place;
  }

  @Override
  public void release(Place buffer) {
    buffer.length = 0;
  }

  @Override
  public void touch(Place buffer, int bytes) {
    NativeBytes.touch(address, bytes);
  }

  @Override
  public long address(Place buffer) {
    return address;
  }

  @Override
  public void append(Place buffer, byte[] chunk) {
    NativeBytes.copy(chunk, address + buffer.length);
    buffer.length += chunk.length;
  }

  /** Where in the memory the next chunk goes. */
  static final class Place {
    private int length;
  }
}
