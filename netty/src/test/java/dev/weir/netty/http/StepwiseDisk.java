package dev.weir.netty.http;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;

/** A disk that does what it is asked for when a test says so, and keeps nothing. One thread. */
public final class StepwiseDisk {
  private static final int LONGEST_BYTES = 1 << 20;
  private static final MemorySegment CONTENTS = Arena.global().allocate(LONGEST_BYTES);

  private record Step(int owner, Runnable task) {}

  private final IntSupplier handling;
  private final List<Step> steps = new ArrayList<>();
  private final Spill spill;
  private final long maximumBytes;

  /**
   * Makes a spill to this disk.
   *
   * @param folder one that is there; nothing gets into it
   * @param handling on whose behalf it is asked now
   */
  public StepwiseDisk(Path folder, long maximumBytes, Duration patience, IntSupplier handling)
      throws IOException {
    this.handling = handling;
    this.maximumBytes = maximumBytes;
    // Memory comes first for every body.
    spill = new Spill(folder, maximumBytes, LONGEST_BYTES, patience, LONGEST_BYTES, new Steps());
  }

  public Spill spill() {
    return spill;
  }

  /** On whose behalf it has something to do, in ascending order. */
  public List<Integer> owners() {
    return steps.stream().map(Step::owner).sorted().toList();
  }

  /** Does the first that it has to do on behalf of {@code owner}. */
  public void step(int owner) {
    Step first = steps.stream().filter(step -> step.owner() == owner).findFirst().orElseThrow();
    steps.remove(first);
    first.task().run();
  }

  /** Whether all of it is free. */
  public boolean isEmpty() {
    SpillRoom all = SpillRoom.tryTake(spill, maximumBytes);
    if (all != null) {
      all.close();
    }
    return all != null;
  }

  private final class Steps implements Disk {
    @Override
    public FileChannel open(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) {
      return new Nowhere();
    }

    @Override
    public void aside(Runnable task) {
      steps.add(new Step(handling.getAsInt(), task));
    }
  }

  private static final class Nowhere extends FileAround {
    Nowhere() {
      super(null);
    }

    @Override
    public int write(ByteBuffer source, long position) {
      int bytes = source.remaining();
      source.position(source.limit());
      return bytes;
    }

    @Override
    public MemorySegment map(MapMode mode, long offset, long size, Arena arena) {
      return CONTENTS.asSlice(offset, size);
    }

    @Override
    protected void implCloseChannel() {}
  }
}
