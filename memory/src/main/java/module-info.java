/** Pages, slabs, heaps and budgets: bounded memory that depends on nothing but the JDK. */
module dev.weir.memory {
  requires static org.jspecify;
}
