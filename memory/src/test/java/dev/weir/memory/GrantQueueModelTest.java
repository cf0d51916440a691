package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.GrantModel.Node;
import dev.weir.memory.GrantModel.Request;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.budget.Credits;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import dev.weir.memory.testing.SeededRuns;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random use of a queue of grants, whose budgets heaps hold credit of: charges are exact, and
 * nobody waits or fails that a {@link GrantModel} would serve.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class GrantQueueModelTest {
  private static final int SEEDS = 600;
  private static final int STEPS = 300;
  private static final int MIB = 1 << 20;
  private static final int PAGE = 4_096;
  private static final long LIMIT_BYTES = 16 * MIB;
  private static final int TOLD_STEPS = 30;
  private static final String INJECTED = "injected";

  @Test
  void theQueueDoesAsTheModelSays() {
    SeededRuns.forSeeds(
        getClass(), SEEDS, random -> new Session(random, /* makersFail= */ false).run());
  }

  @Test
  void grantsThatCannotBeMadeCostNothing() {
    SeededRuns.forSeeds(
        getClass(), SEEDS, random -> new Session(random, /* makersFail= */ true).run());
  }

  private record Charge(Credits heap, Node node, long bytes) {}

  private record OpenGrant(Grant grant, Node node, long bytes) {}

  private static final class Session {
    private final SplittableRandom random;
    private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
    private final GrantOutcomes.Maker maker = GrantOutcomes.plain(pages);
    private final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);

    /** How many have failed, or were withdrawn. */
    private int withdrawals;

    private final GrantQueue queue = new GrantQueue(pages, root, this::make, () -> withdrawals++);
    private final GrantModel model = new GrantModel(pages, root);
    private final List<Credits> heaps = List.of(new Credits(), new Credits(), new Credits());
    private final List<Charge> charges = new ArrayList<>();
    private final List<OpenGrant> grants = new ArrayList<>();
    private final Deque<String> lastSteps = new ArrayDeque<>();

    /** What others have promised. */
    private long othersBytes;

    private long now;
    private boolean makersFail;

    Session(SplittableRandom random, boolean makersFail) {
      this.random = random;
      this.makersFail = makersFail;
      for (int i = 0; i < 3; i++) {
        Node object = addChild(model.root());
        for (int j = 0; j < 2; j++) {
          Node feature = addChild(object);
          if (random.nextBoolean()) {
            addChild(feature);
          }
        }
      }
    }

    private Grant make(WaitingGrant request) {
      if (makersFail && random.nextInt(20) == 0) {
        throw random.nextBoolean()
            ? new OutOfMemoryError(INJECTED)
            : new StackOverflowError(INJECTED);
      }
      return maker.make(request);
    }

    private static boolean isInjected(Throwable failure) {
      return failure instanceof VirtualMachineError && INJECTED.equals(failure.getMessage());
    }

    void run() {
      try {
        for (int i = 0; i < STEPS; i++) {
          step();
          check();
          if (random.nextInt(4) == 0) {
            serve();
            check();
          }
        }
        end();
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "%s%nafter these steps:%n%s".formatted(e, String.join("\n", lastSteps)), e);
      }
    }

    private void note(String step, Object... details) {
      if (lastSteps.size() == TOLD_STEPS) {
        lastSteps.removeFirst();
      }
      lastSteps.addLast(step.formatted(details));
    }

    private void step() {
      switch (random.nextInt(15)) {
        case 0, 1, 2, 3 -> chargeThroughHeap();
        case 4, 5, 6 -> releaseSome();
        case 7, 8, 9 -> request();
        case 10 -> tryRequest();
        case 11 -> withdraw();
        case 12 -> changeLimits();
        case 13 -> promiseToOthers();
        default -> closeGrants();
      }
    }

    private void check() {
      long grantBytes = grants.stream().mapToLong(OpenGrant::bytes).sum();
      assertThat(pages.totals().promisedBytes()).isEqualTo(grantBytes + othersBytes);
      assertThat(queue.hasWaiting()).isEqualTo(!model.waiting.isEmpty());
      model.checkCharges();
    }

    private Node addChild(Node parent) {
      long limitBytes =
          switch (random.nextInt(10)) {
            case 0, 1 -> Budget.UNLIMITED;
            case 2 -> random.nextInt(MIB);
            default -> random.nextInt(MIB / 2, 6 * MIB);
          };
      return model.addChild(parent, limitBytes);
    }

    private Node anyNode() {
      return model.nodes.get(random.nextInt(model.nodes.size()));
    }

    private Node anyBelowRoot() {
      return model.nodes.get(random.nextInt(1, model.nodes.size()));
    }

    private Credits anyHeap() {
      return heaps.get(random.nextInt(heaps.size()));
    }

    private void chargeThroughHeap() {
      Credits heap = anyHeap();
      Node node = anyBelowRoot();
      int count = random.nextInt(1, 13);
      long bytes = random.nextInt(1, random.nextBoolean() ? 64 << 10 : PAGE);
      note("charge %s %d times %,d bytes", node.budget.name(), count, bytes);
      for (int i = 0; i < count; i++) {
        boolean hasRoom = node.hasRoom(bytes);
        assertThat(heap.tryCharge(node.budget, bytes)).as("charged").isEqualTo(hasRoom);
        if (hasRoom) {
          charges.add(new Charge(heap, node, bytes));
          node.charge(bytes);
        }
      }
    }

    private void releaseSome() {
      int count = Math.min(random.nextInt(20), charges.size());
      note("release %d", count);
      for (int i = 0; i < count; i++) {
        Charge last = charges.removeLast();
        int index = random.nextInt(charges.size() + 1);
        Charge victim = index == charges.size() ? last : charges.set(index, last);
        switch (random.nextInt(3)) {
          case 0 -> victim.node.budget.uncharge(victim.bytes);
          case 1 -> victim.heap.uncharge(victim.node.budget, victim.bytes);
          default -> anyHeap().uncharge(victim.node.budget, victim.bytes);
        }
        victim.node.charge(-victim.bytes);
      }
    }

    private Request newRequest() {
      int mostPages =
          switch (random.nextInt(4)) {
            case 0 -> 1_200;
            case 1 -> 300;
            default -> 16;
          };
      long bytes = (long) PAGE * random.nextInt(1, mostPages + 1);
      long deadline = random.nextBoolean() ? Long.MAX_VALUE : now + random.nextInt(30);
      return model.arrive(anyNode(), bytes, deadline);
    }

    private void request() {
      Request request = newRequest();
      boolean hopeless = model.isHopeless(request);
      boolean next = model.isNext(request);
      request.future = queue.request(request.bytes, request.deadlineNanos, request.node.budget);
      note("request %s: %s", request, request.future.state());
      if (request.future.state() == Future.State.FAILED) {
        Throwable failure = request.future.exceptionNow();
        assertThat(hopeless || isInjected(failure)).as("%s", failure).isTrue();
        return;
      }
      assertThat(hopeless).as("hopeless").isFalse();
      if (request.future.isDone()) {
        granted(request, request.future.join());
      } else {
        assertThat(next).as("fits, and nobody is before it").isFalse();
        model.waiting.add(request);
      }
    }

    private void tryRequest() {
      Request request = newRequest();
      boolean next = model.isNext(request);
      Grant grant;
      try {
        grant = queue.tryRequest(request.bytes, request.node.budget);
      } catch (OutOfMemoryError | StackOverflowError e) {
        assertThat(isInjected(e)).as("%s", e).isTrue();
        return;
      }
      note("try %s: %s", request, grant == null ? "refused" : "granted");
      if (grant != null) {
        granted(request, grant);
      } else {
        assertThat(next).as("fits, and nobody is before it").isFalse();
      }
    }

    private void granted(Request request, Grant grant) {
      model.checkOrder(request);
      assertThat(grant.bytes()).isEqualTo(request.bytes);
      grants.add(new OpenGrant(grant, request.node, request.bytes));
      request.node.charge(request.bytes);
    }

    private void withdraw() {
      if (model.waiting.isEmpty()) {
        return;
      }
      Request request = model.waiting.get(random.nextInt(model.waiting.size()));
      note("withdraw %s", request);
      if (random.nextBoolean()) {
        request.future.cancel(false);
      } else {
        completeWithNull(request);
      }
    }

    @SuppressWarnings("NullAway") // a caller's way to withdraw
    private static void completeWithNull(Request request) {
      request.future.complete(null);
    }

    private void changeLimits() {
      Node node = anyBelowRoot();
      int kind = random.nextInt(40);
      if (kind == 0) {
        note("close %s", node.budget.name());
        node.close();
        addChild(model.root());
      } else if (kind < 30) {
        long bytes = random.nextInt(4) == 0 ? Budget.UNLIMITED : random.nextInt(6 * MIB);
        note("limit %s to %,d bytes", node.budget.name(), bytes);
        node.setLimitBytes(bytes);
      } else {
        long less = random.nextBoolean() ? 0 : (long) PAGE * random.nextInt(2_000);
        note("limit pages to %,d bytes less", less);
        pages.setLimit(LIMIT_BYTES - less, 0);
      }
    }

    private void promiseToOthers() {
      if (othersBytes > 0 && random.nextBoolean()) {
        takeBackFromOthers();
        return;
      }
      long bytes = (long) PAGE * random.nextInt(1, 2_000);
      if (pages.promises().tryMake(bytes, Lane.PROMISE)) {
        note("promise others %,d bytes", bytes);
        othersBytes += bytes;
      }
    }

    private void takeBackFromOthers() {
      note("take back from others");
      pages.promises().giveBack(othersBytes, Lane.PROMISE);
      othersBytes = 0;
    }

    private void closeGrants() {
      int count = Math.min(random.nextInt(8), grants.size());
      note("close %d grants", count);
      for (int i = 0; i < count; i++) {
        closeGrant(random.nextInt(grants.size()));
      }
    }

    private void closeGrant(int index) {
      OpenGrant open = grants.remove(index);
      open.grant.close();
      open.node.charge(-open.bytes);
    }

    /** As the purger does: again while requests fail, since others may fit then. */
    private void serve() {
      now += random.nextInt(4) == 0 ? random.nextInt(20) : 0;
      note("serve at %d", now);
      int before;
      do {
        before = withdrawals;
        long untilNext = queue.serve(now);
        settle();
        assertThat(untilNext).isLessThanOrEqualTo(model.nanosUntilNextDeadline(now));
      } while (withdrawals != before);
      assertThat(queue.hasUndelivered()).isFalse();
      model.checkNobodyWaitsInVain(now);
    }

    /** Takes what has ended out of the model. */
    private void settle() {
      List<Request> ended = model.waiting.stream().filter(each -> each.future.isDone()).toList();
      for (Request request : ended) {
        Grant grant = request.grant();
        if (grant != null) {
          granted(request, grant);
        }
      }
      model.waiting.removeAll(ended);
      List<Request> failed =
          ended.stream().filter(each -> each.future.state() == Future.State.FAILED).toList();
      // Where a grant could not be made, there was less room a moment ago.
      boolean roomIsNew = failed.stream().anyMatch(each -> isInjected(each.future.exceptionNow()));
      failed.forEach(each -> judge(each, roomIsNew));
    }

    private void judge(Request failed, boolean roomIsNew) {
      Throwable failure = failed.future.exceptionNow();
      if (failure instanceof TimeoutException) {
        assertThat(failed.deadlineNanos).as("%s failed", failed).isLessThanOrEqualTo(now);
        assertThat(!roomIsNew && model.isNext(failed)).as("%s failed, and fits", failed).isFalse();
      } else if (failure instanceof BudgetExceededError) {
        assertThat(model.isHopeless(failed)).as("%s is hopeless", failed).isTrue();
      } else {
        assertThat(isInjected(failure)).as("%s failed by %s", failed, failure).isTrue();
      }
    }

    private void end() {
      note("the end");
      makersFail = false;
      pages.setLimit(LIMIT_BYTES, 0);
      if (othersBytes > 0) {
        takeBackFromOthers();
      }
      for (Charge charge : charges) {
        charge.heap.uncharge(charge.node.budget, charge.bytes);
        charge.node.charge(-charge.bytes);
      }
      do {
        while (!grants.isEmpty()) {
          closeGrant(grants.size() - 1);
        }
        serve();
        check();
      } while (!grants.isEmpty());
      assertThat(model.waiting).isEmpty();
      assertThat(pages.totals().promisedBytes()).isZero();
      for (Node node : model.nodes) {
        assertThat(node.budget.chargedBytes()).as(node.budget.path()).isZero();
      }
      checkCreditIsGranted();
      heaps.forEach(Credits::close);
      check();
    }

    private void checkCreditIsGranted() {
      Budget wide = root.child("wide", Budget.UNLIMITED);
      Credits heap = new Credits();
      for (int i = 0; i < 9; i++) {
        assertThat(heap.tryCharge(wide, 1)).isTrue();
      }
      assertThat(wide.peakChargedBytes()).as("charges and credit").isGreaterThan(9);
      heap.close();
      assertThat(wide.chargedBytes()).isEqualTo(9);
    }
  }
}
