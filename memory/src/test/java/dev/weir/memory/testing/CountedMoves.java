package dev.weir.memory.testing;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.os.PurgeRanges;
import java.util.concurrent.atomic.AtomicInteger;

/** The memory of the system, which tells how often pages were moved, and how often copied. */
public final class CountedMoves implements NativeMemory {
  private final NativeMemory os = NativeMemory.system();
  private final AtomicInteger moves = new AtomicInteger();
  private final AtomicInteger refusedMoves = new AtomicInteger();
  private final AtomicInteger copies = new AtomicInteger();

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
  public int pageBytes() {
    return os.pageBytes();
  }

  @Override
  public boolean canPurge() {
    return os.canPurge();
  }

  @Override
  public long reserve(long bytes) {
    return os.reserve(bytes);
  }

  @Override
  public void purge(long address, long bytes) {
    os.purge(address, bytes);
  }

  @Override
  public void purge(PurgeRanges ranges) {
    os.purge(ranges);
  }

  @Override
  public boolean tryMove(long from, long to, long bytes) {
    boolean moved = os.tryMove(from, to, bytes);
    (moved ? moves : refusedMoves).incrementAndGet();
    return moved;
  }

  @Override
  public void copy(long from, long to, long bytes) {
    copies.incrementAndGet();
    os.copy(from, to, bytes);
  }

  @Override
  public void release(long address, long bytes) {
    os.release(address, bytes);
  }
}
