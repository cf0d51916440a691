package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Reservation;
import dev.weir.stress.ModelChecking;
import dev.weir.stress.SilentPages;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * What is promised, seen while requests come and are served and room is made: first come, first
 * served, as if one thread did it all. In the end every promise is some request's.
 */
@Param(name = "pages", gen = IntGen.class, conf = "1:30")
public class GrantQueueAtomicityTest {
  private static final long LIMIT_BYTES = 1 << 20;
  private static final int KEPT_PAGES = 100;
  private static final Reservation ADDRESSES =
      Reservation.reserve(NativeMemory.system(), LIMIT_BYTES);

  private final PageHeap pages = SilentPages.heap(NativeMemory.system(), ADDRESSES, LIMIT_BYTES);
  private final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);
  private final GrantQueue queue = new GrantQueue(pages, root);
  private final Queue<CompletableFuture<Grant>> requests = new ConcurrentLinkedQueue<>();
  private final Queue<Grant> tried = new ConcurrentLinkedQueue<>();
  private int keptPages = KEPT_PAGES;

  public GrantQueueAtomicityTest() {
    pages.promises().tryMake(KEPT_PAGES * pages.pageBytes(), Lane.PROMISE);
  }

  @Operation
  public void request(@Param(name = "pages") int count) {
    requests.add(queue.request(count * pages.pageBytes(), Long.MAX_VALUE));
  }

  @Operation
  public boolean tryRequest(@Param(name = "pages") int count) {
    Grant grant = queue.tryRequest(count * pages.pageBytes(), root);
    return grant != null && tried.add(grant);
  }

  @Operation
  public void serve() {
    queue.serve(0);
  }

  @Operation(nonParallelGroup = "room")
  public void makeRoom(@Param(name = "pages") int count) {
    int returned = Math.min(count, keptPages);
    keptPages -= returned;
    pages.promises().giveBack(returned * pages.pageBytes(), Lane.PROMISE);
  }

  @Operation
  public long promised() {
    return pages.totals().promisedBytes() / pages.pageBytes();
  }

  @Operation
  public void close() {
    queue.close();
  }

  @Validate
  public void everyPromiseIsSomebodys() {
    long granted = keptPages * pages.pageBytes();
    for (CompletableFuture<Grant> request : requests) {
      granted += request.state() == CompletableFuture.State.SUCCESS ? request.join().bytes() : 0;
    }
    for (Grant grant : tried) {
      granted += grant.bytes();
    }
    if (granted != pages.totals().promisedBytes()) {
      throw new AssertionError(granted + " of " + pages.totals().promisedBytes());
    }
  }

  @Test
  void everyOperationIsAtomic() {
    ModelChecking.check(getClass(), /* scenarios= */ 4);
  }
}
