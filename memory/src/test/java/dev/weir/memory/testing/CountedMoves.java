package dev.weir.memory.testing;

import dev.weir.memory.os.NativeMemory;
import java.util.concurrent.atomic.AtomicInteger;

/** The memory of the system, which tells how often pages were moved, and how often copied. */
public final class CountedMoves extends DelegatingNativeMemory {
  private final AtomicInteger moves = new AtomicInteger();
  private final AtomicInteger refusedMoves = new AtomicInteger();
  private final AtomicInteger copies = new AtomicInteger();

  /** Nothing has been moved or copied yet. */
  public CountedMoves() {
    super(NativeMemory.system());
  }

  /** How often pages were moved. */
  public int moves() {
    return moves.get();
  }

  /** How often the system could not move them. */
  public int refusedMoves() {
    return refusedMoves.get();
  }

  /** How often bytes were copied. */
  public int copies() {
    return copies.get();
  }

  @Override
  public boolean tryMove(long from, long to, long bytes) {
    boolean moved = super.tryMove(from, to, bytes);
    (moved ? moves : refusedMoves).incrementAndGet();
    return moved;
  }

  @Override
  public void copy(long from, long to, long bytes) {
    copies.incrementAndGet();
    super.copy(from, to, bytes);
  }
}
