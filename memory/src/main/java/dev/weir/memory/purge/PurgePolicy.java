package dev.weir.memory.purge;

/**
 * How much free memory a pool keeps resident, and who gives it back. Immutable; pure functions of
 * the pool's figures, all in bytes.
 *
 * <p>A free page costs nobody anything until it ages or somebody needs the room. Giving it back and
 * taking it again costs a page fault. So there are two ceilings: one for dirty pages, which are
 * free and still resident, and one for pages inside slabs in use that hold free slots only. Both
 * are parts of one share. With {@link #balanced}, resident stays within (1 + share) times the most
 * that was live within a decay, plus two floors, and within the limit.
 *
 * <p>Below the ceilings pages age, and are given back at most 1.5 decays after their last use. Two
 * kinds stay longer in a slab that its owner uses: those whose slots others have freed, until the
 * owner runs out of its own, and those on which no slot has been committed yet.
 *
 * <p>Decay follows jemalloc's {@code dirty_decay_ms}, the ceiling its older {@code lg_dirty_mult}.
 */
public final class PurgePolicy {
  /** The part of the share that is for dirty pages, of any kind. */
  private final double dirtyPart;

  /** The part that is for dirty pages, of what is live in runs of at least 1 MiB. */
  private final double largeRunPart;

  /** The parts that are for free pages inside slabs, with a use foreseen and without. */
  private final double usefulPart;

  private final double idlePart;

  private final long dirtyFloorBytes;
  private final long usefulFloorBytes;
  private final long idleFloorBytes;

  /** Up to {@link #SMALL_POOL_BYTES} useful pages and live ones together may be that much. */
  private final long usefulSpareBytes;

  private final boolean isEager;
  private final String name;
  private final double share;

  private static final long MIB = 1L << 20;

  /** Replacing a thousand blocks of up to 64 KiB goes through 14.5 MiB beside 96 live ones. */
  private static final long SMALL_POOL_BYTES = 112 * MIB;

  // The table. Decisions 0006, 0008 and 0023 tell how the numbers were found.
  private static final PurgePolicy BALANCED =
      new PurgePolicy(
          "balanced",
          /* share= */ 0.1,
          /* isEager= */ false,
          /* dirtyPart= */ 0.4,
          /* dirtyFloorBytes= */ 4 * MIB,
          /* largeRunPart= */ 0.6,
          /* usefulPart= */ 0.4,
          /* usefulFloorBytes= */ 8 * MIB,
          /* usefulSpareBytes= */ 0,
          /* idlePart= */ 0.4,
          /* idleFloorBytes= */ 8 * MIB);

  private static final PurgePolicy DENSE =
      new PurgePolicy(
          "dense",
          /* share= */ 0.025,
          /* isEager= */ true,
          /* dirtyPart= */ 1,
          /* dirtyFloorBytes= */ 3 * MIB,
          /* largeRunPart= */ 0.78,
          /* usefulPart= */ 15.0 / 16,
          /* usefulFloorBytes= */ 9 * MIB,
          /* usefulSpareBytes= */ 16 * MIB,
          /* idlePart= */ 40.0 / 256,
          /* idleFloorBytes= */ MIB * 3 / 4);

  private PurgePolicy(
      String name,
      double share,
      boolean isEager,
      double dirtyPart,
      long dirtyFloorBytes,
      double largeRunPart,
      double usefulPart,
      long usefulFloorBytes,
      long usefulSpareBytes,
      double idlePart,
      long idleFloorBytes) {
    this.name = name;
    this.share = share;
    this.isEager = isEager;
    this.dirtyPart = dirtyPart;
    this.dirtyFloorBytes = dirtyFloorBytes;
    this.largeRunPart = largeRunPart;
    this.usefulPart = usefulPart;
    this.usefulFloorBytes = usefulFloorBytes;
    this.usefulSpareBytes = usefulSpareBytes;
    this.idlePart = idlePart;
    this.idleFloorBytes = idleFloorBytes;
  }

  /**
   * The default, for services that write what they allocate: 10 % of the most that was live within
   * a decay, and floors of 4 MiB (dirty) and 8 MiB (inside slabs). Excess is the purger's; who
   * allocates helps only where it falls behind.
   */
  public static PurgePolicy balanced() {
    return BALANCED;
  }

  /**
   * For memory that is scarcer than time: a 40th of what is live, and floors of 3 and 9 MiB. Heaps
   * give free pages inside slabs back as they grow, beside the purger.
   */
  public static PurgePolicy dense() {
    return DENSE;
  }

  /**
   * The same preset with another share. More is faster where blocks above 64 KiB, or hundreds of
   * megabytes of smaller ones, replace each other; as much more is resident.
   *
   * @param newShare from 0 to 1
   */
  public PurgePolicy withShare(double newShare) {
    if (!(newShare >= 0 && newShare <= 1)) {
      throw new IllegalArgumentException("share " + newShare + " is not between 0 and 1");
    }
    return new PurgePolicy(
        name,
        newShare,
        isEager,
        dirtyPart,
        dirtyFloorBytes,
        largeRunPart,
        usefulPart,
        usefulFloorBytes,
        usefulSpareBytes,
        idlePart,
        idleFloorBytes);
  }

  /** The name of the preset. */
  public String name() {
    return name;
  }

  /** How much may be resident beyond what is live, as a part of it. */
  public double share() {
    return share;
  }

  /**
   * Whether ceilings follow what is live at once, and heaps look through their slabs whenever pages
   * become live. Otherwise they follow the peak, and heaps look where a survey found too much.
   */
  public boolean isEager() {
    return isEager;
  }

  /**
   * How much may be dirty: who frees or takes pages helps to purge what is beyond it.
   *
   * @param liveBytes what is live
   * @param peakLiveBytes the most that was live within a decay
   * @param largeRunBytes what is live in runs of at least 1 MiB
   * @param dirtyRoomBytes what is dirty of what blocks that grow have left
   */
  public long dirtyCeilingBytes(
      long liveBytes, long peakLiveBytes, long largeRunBytes, long dirtyRoomBytes) {
    return spareBytes(liveBytes, peakLiveBytes, largeRunBytes)
        + warmBytes(liveBytes, peakLiveBytes, dirtyRoomBytes);
  }

  /** From how many dirty bytes on the purger is to come; parameters as of the ceiling. */
  public long dirtyWakeBytes(
      long liveBytes, long peakLiveBytes, long largeRunBytes, long dirtyRoomBytes) {
    long spareBytes = spareBytes(liveBytes, peakLiveBytes, largeRunBytes);
    return (isEager ? spareBytes / 4 * 3 : spareBytes / 16 * 15)
        + warmBytes(liveBytes, peakLiveBytes, dirtyRoomBytes);
  }

  /**
   * Down to how many dirty bytes the purger goes then, so that steady churn calls seldom;
   * parameters as of the ceiling.
   */
  public long dirtyKeepBytes(
      long liveBytes, long peakLiveBytes, long largeRunBytes, long dirtyRoomBytes) {
    long spareBytes = spareBytes(liveBytes, peakLiveBytes, largeRunBytes);
    return (isEager ? spareBytes / 2 : spareBytes / 8 * 7)
        + warmBytes(liveBytes, peakLiveBytes, dirtyRoomBytes);
  }

  private long spareBytes(long liveBytes, long peakLiveBytes, long largeRunBytes) {
    long measuredBytes = isEager ? liveBytes : peakLiveBytes;
    return Math.max(dirtyFloorBytes, part(dirtyPart, measuredBytes))
        + part(largeRunPart, largeRunBytes);
  }

  /**
   * What was live a moment ago will probably be live again. Services hold one large body after the
   * other, and faulting 64 MiB in takes ten times as long as writing them.
   */
  private long warmBytes(long liveBytes, long peakLiveBytes, long dirtyRoomBytes) {
    long fallenBytes = peakLiveBytes - liveBytes;
    return isEager ? Math.min(dirtyRoomBytes, fallenBytes) : fallenBytes;
  }

  /** How much may lie free inside slabs whose use is foreseen. */
  public long usefulInsideBytes(long liveBytes) {
    long spareBytes = Math.min(SMALL_POOL_BYTES - liveBytes, usefulSpareBytes);
    return Math.max(Math.max(usefulFloorBytes, spareBytes), part(usefulPart, liveBytes));
  }

  /** How much may lie free inside slabs without a foreseen use. */
  public long idleInsideBytes(long liveBytes) {
    return Math.max(idleFloorBytes, part(idlePart, liveBytes));
  }

  private long part(double part, long bytes) {
    return (long) (part * share * bytes);
  }

  @Override
  public String toString() {
    return "%s, share %s".formatted(name, share);
  }
}
