package dev.weir.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import org.junit.jupiter.api.Test;

/** What main code does not do, whatever the module. */
class BannedApisTest {
  @Test
  void noUnsafe() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("sun.misc.Unsafe")
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage("jdk.internal..")
        .because("memory is reached through MemorySegment and VarHandle")
        .check(WeirClasses.MAIN);
  }

  @Test
  void noFinalizers() {
    noMethods()
        .should()
        .haveName("finalize")
        .because("a finalizer keeps its object alive through two collections")
        .check(WeirClasses.MAIN);
  }

  @Test
  void noSleeping() {
    noClasses()
        .should()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .callMethod(Thread.class, "sleep", long.class, int.class)
        .orShould()
        .callMethod(Thread.class, "sleep", java.time.Duration.class)
        .because("a thread waits for an event or a deadline, and can be woken")
        .check(WeirClasses.MAIN);
  }

  @Test
  void noStackTracesToStandardError() {
    noClasses()
        .should()
        .callMethodWhere(target(name("printStackTrace")))
        .because("an error is handled, thrown or logged")
        .check(WeirClasses.MAIN);
  }

  @Test
  void noClassesInForeignPackages() {
    noClasses()
        .should()
        .resideOutsideOfPackage("dev.weir..")
        .because("a package split with a library breaks with its next release")
        .check(WeirClasses.MAIN);
  }
}
