package dev.weir.memory.sampling;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.profile.LiveBlocks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A live block that was sampled: it stands for others of its size. Ends with the block.
 *
 * <p>Thread-safe.
 */
public final class LiveSample {
  /** In the place of a method, in the frame of {@link #touchedBy}. */
  static final String TOUCHED = "<touched>";

  private static final VarHandle STACK;

  static {
    try {
      STACK = MethodHandles.lookup().findVarHandle(LiveSample.class, "stack", SampledStack.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final LiveTable table;
  private final Budget budget;
  private final double blocks;
  private final long takenNanos;
  private volatile long blockBytes;
  private volatile long requestedBytes;

  /**
   * As it was taken, or once somebody has looked its frames, which samples of the same place share.
   * Null once the block is released: whoever still refers to the sample does not keep a stack.
   */
  private volatile @Nullable SampledStack stack;

  /** The class that the block came to last, where somebody has said so. */
  private volatile @Nullable String holder;

  /** The frames with {@link #holder} in front, once somebody has looked. */
  private volatile SampledStack.@Nullable Held held;

  LiveSample(
      LiveTable table, AllocationStack stack, Budget budget, double blocks, long countedBytes) {
    this.table = table;
    this.stack = stack;
    this.budget = budget;
    this.blocks = blocks;
    this.takenNanos = System.nanoTime();
    this.blockBytes = countedBytes;
    this.requestedBytes = countedBytes;
  }

  /** So much was asked for, where that is not what was counted. */
  public void request(long bytes) {
    requestedBytes = bytes;
  }

  /**
   * The block has come to this class, which is shown in front of its stack where Netty, or a
   * handler of Weir's, allocated it: a read loop does not tell who keeps what it reads.
   */
  public void touchedBy(String className) {
    holder = className;
  }

  /** Initializes the class: at the end of a stack that would fail, and for good. */
  static void load() {}

  /** The block has this size, now that it has been allocated or has grown. */
  public void resize(long bytes) {
    blockBytes = bytes;
  }

  /** The block has been released. Further calls do nothing. */
  public void end() {
    stack = null;
    held = null;
    table.remove(this);
  }

  /** How long the block has been live. */
  long ageNanos(long nowNanos) {
    return Math.max(0, nowNanos - takenNanos);
  }

  /** Null if it has just ended. */
  @Nullable LiveBlocks look(long nowNanos) {
    SampledStack seen = stack;
    if (seen == null) {
      return null;
    }
    if (!(seen instanceof SampledStack.Named)) {
      SampledStack named = table.named(seen.frames());
      // Lost where the block is released at the same moment.
      STACK.compareAndSet(this, seen, named);
      seen = named;
    }
    return new LiveBlocks(
        budget.path(),
        blockBytes,
        Math.min(requestedBytes, blockBytes),
        blocks,
        ageNanos(nowNanos),
        framesOf(seen));
  }

  private List<StackTraceElement> framesOf(SampledStack allocated) {
    String by = holder;
    SampledStack.Held known = held;
    if (by == null || !AllocationStack.isPipelines(allocated.frames())) {
      return allocated.frames();
    }
    if (known == null || !known.holder().equals(by)) {
      known = new SampledStack.Held(by, table.named(withHolder(by, allocated.frames())));
      held = known;
    }
    return known.stack().frames();
  }

  private static List<StackTraceElement> withHolder(String by, List<StackTraceElement> frames) {
    List<StackTraceElement> all = new ArrayList<>(frames.size() + 1);
    all.add(new StackTraceElement(by, TOUCHED, null, -1));
    all.addAll(frames);
    return List.copyOf(all);
  }
}
