package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The rules of grants at their simplest: budgets with exact charges, and those who wait in the
 * order of their arrival. It knows of no credit.
 */
final class GrantModel {
  private final PageHeap pages;

  /** The root is the first. */
  final List<Node> nodes = new ArrayList<>();

  /** Also those that are withdrawn, until the queue looks at them. */
  final List<Request> waiting = new ArrayList<>();

  private int arrivals;

  /** A model of the requests for such pages, with a root alone. */
  GrantModel(PageHeap pages, Budget root) {
    this.pages = pages;
    nodes.add(new Node(root, null, Budget.UNLIMITED));
  }

  /** A budget, and what is charged to it and to those below. */
  static final class Node {
    final Budget budget;

    /** The budgets that a charge counts for: but not the root, whose limit is that of the pages. */
    private final List<Node> path = new ArrayList<>();

    private long limitBytes;
    private long highestLimitBytes;
    private long chargedBytes;
    private boolean closed;

    Node(Budget budget, @Nullable Node parent, long limitBytes) {
      this.budget = budget;
      this.limitBytes = limitBytes;
      this.highestLimitBytes = limitBytes;
      if (parent != null) {
        path.add(this);
        path.addAll(parent.path);
      }
    }

    void setLimitBytes(long bytes) {
      limitBytes = bytes;
      highestLimitBytes = Math.max(highestLimitBytes, bytes);
      budget.setLimitBytes(bytes);
    }

    void close() {
      closed = true;
      budget.close();
    }

    void charge(long bytes) {
      path.forEach(node -> node.chargedBytes += bytes);
    }

    boolean isCut() {
      return path.stream().anyMatch(node -> node.closed);
    }

    private boolean isFullFor(long bytes) {
      return bytes > limitBytes - chargedBytes;
    }

    boolean hasRoom(long bytes) {
      return !isCut() && path.stream().noneMatch(node -> node.isFullFor(bytes));
    }

    private boolean refusesForEver(long bytes) {
      return isCut() || path.stream().anyMatch(node -> bytes > node.limitBytes);
    }

    private void check() {
      assertThat(budget.chargedBytes()).as(budget.path()).isEqualTo(chargedBytes);
      assertThat(budget.peakChargedBytes())
          .as(budget.path())
          .isLessThanOrEqualTo(highestLimitBytes);
    }
  }

  /** One that asks for a grant. */
  static final class Request {
    final Node node;
    final long bytes;
    final Lane lane;
    final long deadlineNanos;
    private final int number;

    /** What it waits for, if it does. */
    CompletableFuture<Grant> future = new CompletableFuture<>();

    private Request(Node node, long bytes, long deadlineNanos, int number) {
      this.node = node;
      this.bytes = bytes;
      this.lane = WaitingGrant.laneOf(bytes);
      this.deadlineNanos = deadlineNanos;
      this.number = number;
    }

    /** Null if it has got none, or a null. */
    @Nullable Grant grant() {
      return future.state() == Future.State.SUCCESS ? future.resultNow() : null;
    }

    @Override
    public String toString() {
      String deadline = deadlineNanos == Long.MAX_VALUE ? "" : " until " + deadlineNanos;
      return "%d (%,d bytes of %s%s)".formatted(number, bytes, node.budget.name(), deadline);
    }
  }

  Node root() {
    return nodes.getFirst();
  }

  Node addChild(Node parent, long limitBytes) {
    Budget child = parent.budget.child("b" + nodes.size(), limitBytes);
    Node node = new Node(child, parent, limitBytes);
    nodes.add(node);
    return node;
  }

  /** A request that comes after all others. */
  Request arrive(Node node, long bytes, long deadlineNanos) {
    return new Request(node, bytes, deadlineNanos, arrivals++);
  }

  boolean isHopeless(Request request) {
    return request.bytes > pages.promises().largestBytes(request.lane)
        || request.node.refusesForEver(request.bytes);
  }

  /** Whether there is room for it and nobody who waits can be before it. */
  boolean isNext(Request request) {
    boolean largeWaits = waiting.stream().anyMatch(each -> each.lane == Lane.PROMISE);
    return isAdmitted(request, largeWaits)
        && request.node.hasRoom(request.bytes)
        && waiting.stream().noneMatch(each -> mayHoldUp(each, request));
  }

  private static boolean mayHoldUp(Request first, Request later) {
    return first.number < later.number
        && (first.lane == later.lane || !Collections.disjoint(first.node.path, later.node.path));
  }

  private boolean isAdmitted(Request request, boolean largeWaits) {
    boolean ownShare = largeWaits && request.lane == Lane.SMALL_PROMISE;
    return pages.promises().admits(request.bytes, ownShare ? Lane.OWN_SMALL_PROMISE : request.lane);
  }

  /** Nobody overtakes one of its lane and its budget, unless that has ended too. */
  void checkOrder(Request granted) {
    assertThat(waiting)
        .filteredOn(each -> each.number < granted.number && !each.future.isDone())
        .as("overtaken by %s", granted)
        .noneMatch(each -> each.lane == granted.lane && each.node == granted.node);
  }

  /** Each of those who wait lacks room, or somebody before it lacks the same. */
  void checkNobodyWaitsInVain(long nowNanos) {
    Set<Lane> shortOfPages = EnumSet.noneOf(Lane.class);
    Set<Node> full = new HashSet<>();
    for (Request request : waiting) {
      long bytes = request.bytes;
      List<Node> path = request.node.path;
      boolean admitted = isAdmitted(request, shortOfPages.contains(Lane.PROMISE));
      boolean heldUp =
          shortOfPages.contains(request.lane) || path.stream().anyMatch(full::contains);
      assertThat(!heldUp && admitted && request.node.hasRoom(bytes))
          .as("%s fits, and waits", request)
          .isFalse();
      assertThat(request.deadlineNanos).as("%s waits", request).isGreaterThan(nowNanos);
      assertThat(isHopeless(request)).as("%s is hopeless, and waits", request).isFalse();
      if (!admitted) {
        shortOfPages.add(request.lane);
      }
      path.stream().filter(node -> node.isFullFor(bytes)).forEach(full::add);
    }
  }

  long nanosUntilNextDeadline(long nowNanos) {
    return waiting.stream()
        .mapToLong(each -> each.deadlineNanos - nowNanos)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  void checkCharges() {
    nodes.stream().skip(1).forEach(Node::check);
    root().budget.checkInvariants();
  }
}
