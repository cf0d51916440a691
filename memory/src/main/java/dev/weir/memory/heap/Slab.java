package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageSet;
import dev.weir.memory.pages.Span;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A span cut into equal slots of one size class.
 *
 * <p>Slots are carved, lowest first, only where pages have been committed, and dropped again where
 * pages are purged inside a slab that is otherwise in use. Free ones are in one of two places: a
 * stack of slot numbers, which only the slab's heap touches (its owner, or the holder of its
 * stripe's lock), and {@link RemoteFrees}, where every other thread puts them and the heap takes
 * them all at once. A slot that lies there counts as live until it is drained.
 *
 * <pre>
 *   carved slots = live + freeLocal          live = blocks in use + freeRemote
 * </pre>
 */
/*
 * The local stack holds numbers, not references: taking and putting back a slot stores no reference, so no garbage
 * collector's store barrier is on the owner's path, and the next free slot is known without reading the last one.
 *
 * Life cycle within a heap.
 *
 *            carve, refill                exhausted, all carved
 *   AVAILABLE ----------> CURRENT ------------------------------> FULL
 *       ^   <----------------+  exhausted, not all carved          |
 *       |                                                          |
 *       +----------------------------------------------------------+
 *              a slot is freed: by the heap itself, or by a remote thread, which then sends the slab to the heap
 *
 * A full slab carries a mark in its remote frees. The remote thread whose push replaces the mark sends the slab to its
 * heap's arrivals; so an idle heap can be told that there is something to drain. When the heap frees a slot
 * of a full slab itself, it takes the mark away; if a remote thread was faster, that slab's arrival is still under way:
 * `arrivalPending` then keeps the slab from being marked again or parked until it has arrived.
 */
final class Slab extends Span implements BlockHome {
  private static final @Nullable Object[] NO_TENANTS = {};
  private static final char[] NO_NUMBERS = {};

  /** Stands in current-slab tables where there is no slab: always exhausted. */
  static final Slab NONE = new Slab();

  /**
   * Pages are committed in steps of at least this, so that small slots do not call the page heap
   * for each page.
   */
  static final int COMMIT_STEP_BYTES = 8 * 1024;

  private static final int NEVER = -1;

  /** From {@link #pop}: no local slot is free. */
  static final int NONE_FREE = -1;

  private static final VarHandle FREE_LOCAL_COUNT;
  private static final VarHandle CARVED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FREE_LOCAL_COUNT = lookup.findVarHandle(Slab.class, "freeLocalCount", int.class);
      CARVED = lookup.findVarHandle(Slab.class, "carved", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int slotBytes;
  private final int slots;
  private volatile Heap heap;

  /** What was left at the slots, by number. Grows with the highest slot carved. */
  private @Nullable Object[] tenants = NO_TENANTS;

  /** The numbers of free slots, the one to take next last; as long as {@link #tenants}. */
  private char[] freeLocal = NO_NUMBERS;

  private final RemoteFrees freeRemote;

  /** How many numbers {@link #freeLocal} holds. */
  private int freeLocalCount;

  /** The count of local free slots at which a local free must tell the heap: one, or all. */
  private int noticeAtFree = NEVER;

  /** The slots that have an object: those on live pages, as far as they were ever needed. */
  private final BitSet carvedSlots = new BitSet();

  private int carved;
  private int lowestUncarved;

  /**
   * Somebody purges pages of this slab: they must not be committed, and the slab not be parked.
   * Volatile: whoever ends the purge publishes what it did to the pages.
   */
  private volatile boolean purgeInFlight;

  private boolean full;

  /**
   * The heap in whose list it is; null while it is parked. Only a heap writes its own name here, so
   * a heap that reads its own has the slab, whatever others do at that moment. The heap that {@link
   * #heap} names may have parked it.
   */
  @Nullable Heap ownedBy;

  /** The {@link #idleBytes} that the last survey saw. The surveying thread only. */
  int seenIdleBytes;

  /**
   * The {@link #idleBytes} that were left when the pages were last looked through: as long as they
   * are the same, and the slab was not the current one meanwhile, another look finds nothing. 0 if
   * nobody has looked. Written by the heap and the surveying thread; a lost write costs or saves
   * one look.
   */
  int barrenBytes;

  /** What its heap last counted of {@link #newlyIdleBytes}. The heap only. */
  int countedFreeBytes;

  /** In how many rounds of the heap's hand nothing seems to have been taken. The heap only. */
  int idleRounds;

  private boolean arrivalPending;

  /** Links of the heap's list of available slabs, and of all its slabs. */
  @Nullable Slab previousAvailable;

  @Nullable Slab nextAvailable;
  @Nullable Slab previousOwned;
  @Nullable Slab nextOwned;

  /** Link of the heap's arrivals. */
  @Nullable Slab nextArrival;

  Slab(Heap heap, int sizeClass) {
    int slotBytes = SizeClasses.slotBytes(sizeClass);
    int slots = SizeClasses.spanSize(sizeClass).bytes() / slotBytes;
    super(SizeClasses.spanSize(sizeClass), sizeClass, slots * slotBytes);
    this.heap = heap;
    this.slotBytes = slotBytes;
    this.slots = slots;
    this.freeRemote = new RemoteFrees(slots);
  }

  @SuppressWarnings("NullAway") // NONE is in no heap and never handed out
  private Slab() {
    super(SizeClasses.spanSize(0), 0, 0);
    this.heap = null;
    this.slotBytes = 0;
    this.slots = 0;
    this.freeRemote = new RemoteFrees(0);
  }

  @Override
  public long blockAddress(int number) {
    return address() + (long) number * slotBytes;
  }

  @Override
  public long blockBytes() {
    return slotBytes;
  }

  @Override
  public MemorySegment segment(int number) {
    return heap.pages().reservation().slice(blockAddress(number), slotBytes);
  }

  @Override
  public boolean tryGrow(long minBytes, Budget budget) {
    return minBytes <= slotBytes;
  }

  @Override
  public void free(int number) {
    heap.free(this, number);
  }

  @Override
  public void release(int number, Budget payer) {
    heap.release(this, number, payer);
  }

  Heap heap() {
    return heap;
  }

  /**
   * Hands the slab to another heap. Remote threads that still see the old one forward what they
   * send.
   */
  void adoptedBy(Heap newHeap) {
    heap = newHeap;
  }

  /** Live slots as another thread sees them, those in the remote stack included. */
  int liveOpaque() {
    return Math.max(0, (int) CARVED.getOpaque(this) - (int) FREE_LOCAL_COUNT.getOpaque(this));
  }

  /** Slots that have been carved, as another thread sees them. */
  int carvedOpaque() {
    return (int) CARVED.getOpaque(this);
  }

  /**
   * Live pages less live slots, as another thread sees them: what lies under free slots, under
   * slots not carved yet, and between the last slots and the ends of their pages.
   */
  int idleBytes() {
    return committedBytes() - liveOpaque() * slotBytes;
  }

  /** The bytes of local free slots. The heap only. */
  int freeBytes() {
    return freeLocalCount * slotBytes;
  }

  /** Whether somebody gives pages of it back at the moment. */
  boolean isBeingPurged() {
    return purgeInFlight;
  }

  /** What has become idle since the last look, in whole pages: a guess at what lies free. */
  int newlyIdleBytes(int osPageBytes) {
    return Math.max(0, idleBytes() - barrenBytes) / osPageBytes * osPageBytes;
  }

  /** Whether others have freed slots, as another thread sees it. */
  boolean hasRemoteOpaque() {
    return freeRemote.hasAnyOpaque();
  }

  /** How many slots others have freed. Exact when nobody frees or drains at the time. */
  int remoteCount() {
    return freeRemote.count();
  }

  boolean isFull() {
    return full;
  }

  boolean isEmpty() {
    return freeLocalCount == carved && !arrivalPending && !purgeInFlight;
  }

  boolean fullyCarved() {
    return carved == slots;
  }

  /** Takes a free slot; {@link #NONE_FREE} if the local stack is empty. The heap only. */
  int pop() {
    int count = freeLocalCount - 1;
    if (count < 0) {
      return NONE_FREE;
    }
    freeLocalCount = count;
    return freeLocal[count];
  }

  /** Puts a slot back; returns whether the heap must look at the slab. The heap only. */
  boolean push(int number) {
    int count = freeLocalCount;
    freeLocal[count] = (char) number;
    freeLocalCount = count + 1;
    return count + 1 == noticeAtFree;
  }

  /** What was left at a slot. The heap only. */
  @Nullable Object tenant(int number) {
    return tenants[number];
  }

  @Override
  public void leave(int number, Object tenant) {
    tenants[number] = tenant;
  }

  /**
   * Puts a slot back from outside the heap.
   *
   * @return whether the caller must send the slab to its heap
   */
  boolean pushRemote(int number) {
    return freeRemote.push(number);
  }

  /**
   * Moves what others have freed to the local stack; returns whether there was anything. The heap
   * only.
   */
  boolean drainRemote() {
    int last = freeRemote.takeAll();
    if (last == RemoteFrees.END) {
      return false;
    }
    for (int number = last; number != RemoteFrees.END; number = freeRemote.next(number)) {
      freeLocal[freeLocalCount++] = (char) number;
    }
    return true;
  }

  /**
   * Carves more slots, committing pages for them; false if there is no more to carve or no room for
   * the pages.
   */
  boolean carve(PageHeap pages) {
    if (carved == slots || purgeInFlight) {
      return false;
    }
    int osPageBytes = pages.osPageBytes();
    int number = carvedSlots.nextClearBit(lowestUncarved);
    int from = firstPage(number, osPageBytes);
    int to = endPage(number, osPageBytes);
    int stepEnd = Math.min(from + COMMIT_STEP_BYTES / osPageBytes, size().bytes() / osPageBytes);
    if (!committed().containsAll(from, to)
        && !(stepEnd > to && pages.commit(this, from, stepEnd))
        && !pages.commit(this, from, to)) {
      return false;
    }
    lowestUncarved = carveFrom(number, osPageBytes);
    return true;
  }

  /** Makes the slots from {@code first} on whose pages are live; returns where it stopped. */
  private int carveFrom(int first, int osPageBytes) {
    int end = Math.min(slots, first + Math.max(1, COMMIT_STEP_BYTES / slotBytes));
    ensureCapacity(end);
    int oldCount = freeLocalCount;
    int number = first;
    while (number < end
        && committed().containsAll(firstPage(number, osPageBytes), endPage(number, osPageBytes))) {
      carvedSlots.set(number);
      carved++;
      freeLocal[freeLocalCount++] = (char) number;
      number = carvedSlots.nextClearBit(number + 1);
    }
    reverse(freeLocal, oldCount, freeLocalCount);
    return number;
  }

  private void ensureCapacity(int length) {
    if (length > freeLocal.length) {
      int newLength = Math.min(slots, Math.max(length, freeLocal.length * 2));
      @Nullable Object[] longerTenants = Arrays.copyOf(tenants, newLength);
      freeLocal = Arrays.copyOf(freeLocal, newLength);
      tenants = longerTenants;
    }
  }

  /** So that the lowest of the slots carved together is taken first. */
  private static void reverse(char[] numbers, int from, int to) {
    for (int low = from, high = to - 1; low < high; low++, high--) {
      char number = numbers[low];
      numbers[low] = numbers[high];
      numbers[high] = number;
    }
  }

  private int firstPage(int number, int osPageBytes) {
    return number * slotBytes / osPageBytes;
  }

  private int endPage(int number, int osPageBytes) {
    return ((number + 1) * slotBytes - 1) / osPageBytes + 1;
  }

  /**
   * Takes free slots out of the slab, and their objects with them, so that pages which hold nothing
   * else can be purged. The heap only; the pages must not be touched until {@link #purgeEnded}.
   *
   * @return the pages to purge with {@link PageHeap#purgeInside}, or null if there are none
   */
  @Nullable PageSet unlinkFreePages(int osPageBytes) {
    if (purgeInFlight) {
      return null;
    }
    PageSet free = new PageSet(committed());
    BitSet liveSlots = (BitSet) carvedSlots.clone();
    for (int i = 0; i < freeLocalCount; i++) {
      liveSlots.clear(freeLocal[i]);
    }
    for (int number = liveSlots.nextSetBit(0);
        number >= 0;
        number = liveSlots.nextSetBit(number + 1)) {
      free.remove(firstPage(number, osPageBytes), endPage(number, osPageBytes));
    }
    barrenBytes = idleBytes() - free.size() * osPageBytes;
    if (free.isEmpty()) {
      return null;
    }
    dropFreeSlotsOn(free, osPageBytes);
    purgeInFlight = true;
    return free;
  }

  private void dropFreeSlotsOn(PageSet free, int osPageBytes) {
    int kept = 0;
    for (int i = 0; i < freeLocalCount; i++) {
      char number = freeLocal[i];
      if (free.countIn(firstPage(number, osPageBytes), endPage(number, osPageBytes)) > 0) {
        tenants[number] = null;
        carvedSlots.clear(number);
        carved--;
      } else {
        freeLocal[kept++] = number;
      }
    }
    freeLocalCount = kept;
    lowestUncarved = 0;
    if (noticeAtFree != NEVER && !full) {
      noticeAtFree = carved;
    }
  }

  /**
   * The pages that {@link #unlinkFreePages} returned have been purged, or could not be. Any thread.
   */
  void purgeEnded() {
    purgeInFlight = false;
  }

  void becomeCurrent() {
    noticeAtFree = NEVER;
    barrenBytes = 0;
  }

  void becomeAvailable() {
    noticeAtFree = carved;
  }

  /**
   * Marks an exhausted slab as full, so that the next free of a slot is noticed.
   *
   * @return false if remote threads have freed slots meanwhile: drain them instead
   */
  boolean tryBecomeFull() {
    if (!arrivalPending && !freeRemote.tryMark()) {
      return false;
    }
    full = true;
    noticeAtFree = 1;
    return true;
  }

  /** The heap has freed a slot of a full slab, or its arrival has come. */
  void ceaseToBeFull() {
    full = false;
    if (!arrivalPending && !freeRemote.tryUnmark()) {
      arrivalPending = true;
    }
  }

  /** The slab came out of its heap's arrivals. */
  void arrived() {
    arrivalPending = false;
  }

  /** Says that an arrival must be expected, before it is looked at. */
  void expectArrival() {
    arrivalPending = true;
  }

  /** Evaluates the equations of the class comment. Only when no thread uses the slab. */
  void checkInvariants() {
    BitSet free = new BitSet();
    for (int i = 0; i < freeLocalCount; i++) {
      free.set(freeLocal[i]);
    }
    BitSet notCarved = (BitSet) free.clone();
    notCarved.andNot(carvedSlots);
    int live = carved - freeLocalCount;
    if (free.cardinality() != freeLocalCount
        || !notCarved.isEmpty()
        || carvedSlots.cardinality() != carved
        || live < remoteCount()) {
      throw new AssertionError(
          "slab of %d B: %d carved (%d marked), %d free (%d different), %d not carved, %d remote"
              .formatted(
                  slotBytes,
                  carved,
                  carvedSlots.cardinality(),
                  freeLocalCount,
                  free.cardinality(),
                  notCarved.cardinality(),
                  remoteCount()));
    }
  }
}
